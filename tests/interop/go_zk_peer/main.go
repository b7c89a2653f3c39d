// A process that takes part in go-zk's lock; the words are those of peer.hpp, each answered with a line.
//
// Arguments: servers, session timeout in ms.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/samuel/go-zookeeper/zk"
)

const mostRoundsPerShare = 100

type violation string

func (v violation) Error() string { return string(v) }

type quiet struct{}

func (quiet) Printf(string, ...interface{}) {}

type peer struct {
	connection *zk.Conn
	locks      map[string]*zk.Lock
}

func (p *peer) answer(order []string) string {
	answer, err := p.obey(order[0], order[1:])
	if seen, ok := err.(violation); ok {
		return "violated: " + seen.Error()
	} else if err != nil {
		return "failed: " + err.Error()
	}
	return answer
}

func (p *peer) obey(word string, rest []string) (string, error) {
	if word == "connect" {
		return "connected", nil
	}
	if rest[0] != "mutex" {
		return "", errors.New("go-zk has no " + rest[0])
	}
	lock := p.lock(rest[1])
	switch word {
	case "acquire": // its Lock has no time limit
		return "held", lock.Lock()
	case "release":
		return "released", lock.Unlock()
	case "hammer":
		return p.hammer(lock, rest[1], rest[2], rest[3], rest[4], rest[5])
	}
	return "", errors.New("no such order: " + word)
}

func (p *peer) lock(path string) *zk.Lock {
	if p.locks[path] == nil {
		p.locks[path] = zk.NewLock(p.connection, path, zk.WorldACL(zk.PermAll))
	}
	return p.locks[path]
}

// See hammer.hpp and marks.hpp: they are its twins.
func (p *peer) hammer(lock *zk.Lock, path, directory, letter, sides, text string) (string, error) {
	share, err := strconv.Atoi(text)
	if err != nil {
		return "", err
	}
	name := filepath.Join(directory, path[strings.LastIndex(path, "/")+1:])
	for round := 0; round < mostRoundsPerShare*share; round++ {
		if over(share, sides, directory) {
			return "done", nil
		}
		if err := lock.Lock(); err != nil {
			return "", err
		}
		wrong := inside(name, letter, directory)
		if wrong != nil {
			_ = appendTo(filepath.Join(directory, "stopped"), "")
		}
		if err := lock.Unlock(); wrong == nil {
			wrong = err
		}
		if wrong != nil {
			return "", wrong
		}
	}
	return "", errors.New("the other side does not come in")
}

func inside(name, letter, directory string) error {
	alone, err := os.OpenFile(name+".alone", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if os.IsExist(err) {
		return violation("go-zk alone beside another alone")
	} else if err != nil {
		return err
	}
	_ = alone.Close()
	defer os.Remove(name + ".alone")
	if err := count(name + ".counter"); err != nil {
		return err
	}
	return appendTo(filepath.Join(directory, "order"), letter)
}

func count(counter string) error {
	value := 0
	text, err := os.ReadFile(counter)
	if err == nil {
		value, err = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(counter, []byte(fmt.Sprintln(value+1)), 0o644)
}

func appendTo(path, text string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteString(text)
	return err
}

func over(share int, sides, directory string) bool {
	if _, err := os.Stat(filepath.Join(directory, "stopped")); err == nil {
		return true
	}
	text, err := os.ReadFile(filepath.Join(directory, "order"))
	if err != nil {
		return false
	}
	for _, side := range sides {
		if strings.Count(strings.ToUpper(string(text)), string(side)) < share {
			return false
		}
	}
	return true
}

func connect(servers, timeout string) (*zk.Conn, error) {
	milliseconds, err := strconv.Atoi(timeout)
	if err != nil {
		return nil, err
	}
	connection, events, err := zk.Connect(strings.Split(servers, ","), time.Duration(milliseconds)*time.Millisecond,
		zk.WithLogger(quiet{}))
	if err != nil {
		return nil, err
	}
	limit := time.After(30 * time.Second)
	for {
		select {
		case event := <-events:
			if event.State == zk.StateHasSession {
				return connection, nil
			}
		case <-limit:
			return nil, errors.New("not connected in 30 s")
		}
	}
}

func main() {
	connection, err := connect(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer connection.Close()
	one := &peer{connection, map[string]*zk.Lock{}}
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		fmt.Println(one.answer(strings.Fields(orders.Text())))
	}
}
