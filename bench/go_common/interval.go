package common

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

type interval struct {
	begun     time.Time
	usage     syscall.Rusage
	mutex     sync.Mutex
	latencies []float64
	notes     []string
}

func cpu(of syscall.Rusage) float64 {
	return float64(of.Utime.Nano()+of.Stime.Nano()) * 1e-9
}

// begin says that all is prepared, and waits for the driver.
func (i *interval) begin() {
	fmt.Println(`{"prepared":true}`)
	if !lines.Scan() {
		os.Exit(0)
	}
	syscall.Getrusage(syscall.RUSAGE_SELF, &i.usage)
	i.begun = time.Now()
}

func (i *interval) secondsSoFar() float64 { return time.Since(i.begun).Seconds() }

func (i *interval) addLatencies(seconds []float64) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.latencies = append(i.latencies, seconds...)
}

func (i *interval) note(name string, value float64) {
	i.notes = append(i.notes, fmt.Sprintf(`,"%s":%.9f`, name, value))
}

func (i *interval) end(operations int) {
	seconds := i.secondsSoFar()
	var ended syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &ended)
	if count := len(i.latencies); count > 0 {
		sort.Float64s(i.latencies)
		i.note("p50", i.latencies[(count-1)*50/100])
		i.note("p90", i.latencies[(count-1)*90/100])
		i.note("p99", i.latencies[(count-1)*99/100])
	}
	fmt.Printf("{\"ops\":%d,\"seconds\":%.9f,\"cpu\":%.6f,\"voluntary\":%d,\"involuntary\":%d%s}\n", operations, seconds,
		cpu(ended)-cpu(i.usage), ended.Nvcsw-i.usage.Nvcsw, ended.Nivcsw-i.usage.Nivcsw, strings.Join(i.notes, ""))
}
