package common

import "sync"

// crew is goroutines that all begin when they are told to.
type crew struct {
	gate    chan struct{}
	done    sync.WaitGroup
	mutex   sync.Mutex
	failure error
}

func newCrew(count int, work func(number int) error) *crew {
	all := &crew{gate: make(chan struct{})}
	all.done.Add(count)
	for number := 0; number < count; number++ {
		go func(number int) {
			defer all.done.Done()
			<-all.gate
			if err := work(number); err != nil {
				all.mutex.Lock()
				all.failure = err
				all.mutex.Unlock()
			}
		}(number)
	}
	return all
}

func (c *crew) start() { close(c.gate) }

func (c *crew) awaitDone() error {
	c.done.Wait()
	return c.failure
}
