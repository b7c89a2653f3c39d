package common

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ErrUnsupported: the library lacks what a workload needs.
var ErrUnsupported = errors.New("unsupported")

// Contender is used by one goroutine at a time.
type Contender interface {
	Acquire() error
	Release() error
}

// Session is a session with the servers.
type Session interface {
	// Contend takes a recipe: mutex, reentrant, read, write, semaphore or multi.
	Contend(recipe, path string) (Contender, error)
	Close()
}

// Library is one that is measured.
type Library interface {
	// Connect returns when the session is connected.
	Connect() (Session, error)
	// Contenders is how many contenders stand at this path.
	Contenders(path string) (int, error)
}

var lines = bufio.NewScanner(os.Stdin)

// Main does what the driver's lines ask for, until there are no more.
func Main(library Library) {
	workloads := map[string]func(Library, Command) error{
		"cycle": cycle, "reentry": reentry, "hand_over": handOver, "queue": queue}
	for lines.Scan() {
		what := parse(lines.Text())
		workload, found := workloads[what.Name]
		err := ErrUnsupported
		if what.Name == "rest" {
			fmt.Println(`{"resting":"yes"}`)
			continue
		}
		if found {
			err = workload(library, what)
		}
		if err == ErrUnsupported {
			fmt.Printf("{\"unsupported\":\"%s\"}\n", what.Name)
		} else if err != nil {
			fmt.Printf("{\"error\":\"%s\"}\n", strings.NewReplacer(`"`, "'", "\n", " ", `\`, "/").Replace(err.Error()))
			os.Exit(1)
		}
	}
}
