package common

import (
	"fmt"
	"sync/atomic"
	"time"
)

// The same work as bench/common/workloads.cpp.

func connect(library Library, count int) (all []Session, err error) {
	for number := 0; number < count; number++ {
		session, err := library.Connect()
		if err != nil {
			return nil, err
		}
		all = append(all, session)
	}
	return all, nil
}

func closeAll(all []Session) {
	for _, session := range all {
		session.Close()
	}
}

// warm makes the lock node.
func warm(session Session, recipe, path string) (Contender, error) {
	made, err := session.Contend(recipe, path)
	if err == nil {
		err = made.Acquire()
	}
	if err == nil {
		err = made.Release()
	}
	return made, err
}

func cycle(library Library, what Command) error {
	operations := what.number("n", 1000)
	sessions := what.number("sessions", 1)
	threads := sessions * what.number("threads", 1)
	locks := what.number("locks", 1)
	latency := what.number("latency", 0) != 0

	all, err := connect(library, sessions)
	if err != nil {
		return err
	}
	defer closeAll(all)
	var contenders []Contender
	for number := 0; number < threads; number++ {
		path := fmt.Sprintf("%s/%d", what.text("path", "/bench"), number%locks)
		made, err := warm(all[number%sessions], what.text("recipe", "mutex"), path)
		if err != nil {
			return err
		}
		contenders = append(contenders, made)
	}

	var measured interval
	left := int64(operations)
	workers := newCrew(threads, func(number int) error {
		var latencies []float64
		for atomic.AddInt64(&left, -1) >= 0 {
			begun := time.Now()
			if err := contenders[number].Acquire(); err != nil {
				return err
			}
			if err := contenders[number].Release(); err != nil {
				return err
			}
			if latency {
				latencies = append(latencies, time.Since(begun).Seconds())
			}
		}
		measured.addLatencies(latencies)
		return nil
	})
	measured.begin()
	workers.start()
	if err := workers.awaitDone(); err != nil {
		return err
	}
	measured.end(operations)
	return nil
}

func reentry(library Library, what Command) error {
	operations := what.number("n", 1000)
	all, err := connect(library, 1)
	if err != nil {
		return err
	}
	defer closeAll(all)
	mine, err := all[0].Contend("reentrant", what.text("path", "/bench"))
	if err != nil {
		return err
	}
	if err := mine.Acquire(); err != nil {
		return err
	}
	var measured interval
	measured.begin()
	for number := 0; number < operations; number++ {
		if err := mine.Acquire(); err != nil {
			return err
		}
		if err := mine.Release(); err != nil {
			return err
		}
	}
	measured.end(operations)
	return mine.Release()
}

func handOver(library Library, what Command) error {
	operations := what.number("n", 100)
	pause := time.Duration(what.number("pause_us", 3000)) * time.Microsecond
	all, err := connect(library, 2)
	if err != nil {
		return err
	}
	defer closeAll(all)
	var contenders []Contender
	for _, session := range all {
		made, err := warm(session, "mutex", what.text("path", "/bench"))
		if err != nil {
			return err
		}
		contenders = append(contenders, made)
	}

	var measured interval
	var called, granted int64 // how many acquisitions
	var released atomic.Value
	workers := newCrew(2, func(number int) error {
		var latencies []float64
		for turn := number; turn < operations; turn += 2 {
			for atomic.LoadInt64(&granted) != int64(turn) {
				time.Sleep(pause / 10)
			}
			atomic.AddInt64(&called, 1)
			if err := contenders[number].Acquire(); err != nil {
				return err
			}
			if turn > 0 {
				latencies = append(latencies, time.Since(released.Load().(time.Time)).Seconds())
			}
			atomic.AddInt64(&granted, 1)
			for atomic.LoadInt64(&called) == int64(turn+1) && turn+1 < operations {
				time.Sleep(pause / 10)
			}
			time.Sleep(pause) // by now the other one waits on the servers
			released.Store(time.Now())
			if err := contenders[number].Release(); err != nil {
				return err
			}
		}
		measured.addLatencies(latencies)
		return nil
	})
	measured.begin()
	workers.start()
	if err := workers.awaitDone(); err != nil {
		return err
	}
	measured.end(operations)
	return nil
}

func queue(library Library, what Command) error {
	waiters := what.number("n", 100)
	sessions := what.number("sessions", 1)
	path := what.text("path", "/bench")

	all, err := connect(library, sessions)
	if err != nil {
		return err
	}
	defer closeAll(all)
	var contenders []Contender // the last one is the holder
	for number := 0; number <= waiters; number++ {
		made, err := all[number%sessions].Contend("mutex", path)
		if err != nil {
			return err
		}
		contenders = append(contenders, made)
	}
	holder := contenders[waiters]
	if err := holder.Acquire(); err != nil {
		return err
	}
	if count, err := library.Contenders(path); err != nil || count != 1 {
		return fmt.Errorf("the holder is not alone: %d, %v", count, err)
	}

	var measured interval
	workers := newCrew(waiters, func(number int) error {
		if err := contenders[number].Acquire(); err != nil {
			return err
		}
		return contenders[number].Release()
	})
	measured.begin()
	workers.start()
	for count := 0; count != waiters+1; {
		time.Sleep(5 * time.Millisecond)
		if count, err = library.Contenders(path); err != nil {
			return err
		}
	}
	joined := measured.secondsSoFar()
	measured.note("join_seconds", joined)
	if err := holder.Release(); err != nil {
		return err
	}
	if err := workers.awaitDone(); err != nil {
		return err
	}
	measured.note("drain_seconds", measured.secondsSoFar()-joined)
	measured.end(waiters)
	return nil
}
