// The benchmark's peer for go-zk (github.com/samuel/go-zookeeper as Debian has it). A Lock is for one goroutine.
package main

import (
	"errors"
	"os"
	"strings"
	"time"

	"github.com/samuel/go-zookeeper/zk"
	"zklock_bench/go_common"
)

const sessionTimeout = 30 * time.Second

type quiet struct{}

func (quiet) Printf(string, ...interface{}) {}

type contender struct{ lock *zk.Lock }

func (c contender) Acquire() error { return c.lock.Lock() }
func (c contender) Release() error { return c.lock.Unlock() }

type session struct{ connection *zk.Conn }

func (s session) Contend(recipe, path string) (common.Contender, error) {
	if recipe != "mutex" {
		return nil, common.ErrUnsupported
	}
	return contender{zk.NewLock(s.connection, path, zk.WorldACL(zk.PermAll))}, nil
}

func (s session) Close() { s.connection.Close() }

type library struct {
	servers  []string
	counting *zk.Conn
}

func (l *library) open() (*zk.Conn, error) {
	connection, events, err := zk.Connect(l.servers, sessionTimeout, zk.WithLogger(quiet{}))
	if err != nil {
		return nil, err
	}
	deadline := time.After(10 * time.Second)
	for {
		select {
		case event := <-events:
			if event.State == zk.StateHasSession {
				return connection, nil
			}
		case <-deadline:
			return nil, errors.New("not connected")
		}
	}
}

func (l *library) Connect() (common.Session, error) {
	connection, err := l.open()
	return session{connection}, err
}

func (l *library) Contenders(path string) (int, error) {
	if l.counting == nil {
		connection, err := l.open()
		if err != nil {
			return 0, err
		}
		l.counting = connection
	}
	exists, stat, err := l.counting.Exists(path)
	if err != nil || !exists {
		return 0, err
	}
	return int(stat.NumChildren), nil
}

func main() {
	common.Main(&library{servers: strings.Split(os.Args[1], ",")})
}
