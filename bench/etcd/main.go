// The benchmark's peer for etcd, for orientation: its own Go client's concurrency.Mutex. A session's lease is the
// contender's identity, so each contender has a lease of its own.
package main

import (
	"context"
	"os"
	"time"

	"go.etcd.io/etcd/clientv3"
	"go.etcd.io/etcd/clientv3/concurrency"
	"zklock_bench/go_common"
)

const timeToLiveSeconds = 30

type contender struct{ mutex *concurrency.Mutex }

func (c contender) Acquire() error { return c.mutex.Lock(context.Background()) }
func (c contender) Release() error { return c.mutex.Unlock(context.Background()) }

type session struct{ client *clientv3.Client }

func (s session) Contend(recipe, path string) (common.Contender, error) {
	if recipe != "mutex" {
		return nil, common.ErrUnsupported
	}
	lease, err := concurrency.NewSession(s.client, concurrency.WithTTL(timeToLiveSeconds))
	if err != nil {
		return nil, err
	}
	return contender{concurrency.NewMutex(lease, path)}, nil
}

func (s session) Close() { s.client.Close() }

type library struct{ server string }

func (l library) Connect() (common.Session, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{l.server}, DialTimeout: 10 * time.Second})
	return session{client}, err
}

func (library) Contenders(string) (int, error) { return 0, common.ErrUnsupported }

func main() { common.Main(library{os.Args[1]}) }
