// Package common is what the benchmark's programs in Go share: the driver's lines, the measured interval, the
// workloads.
package common

import (
	"fmt"
	"strconv"
	"strings"
)

// Command is a line of the driver: a workload's name, then name=value pairs.
type Command struct {
	Name   string
	values map[string]string
}

func parse(line string) Command {
	words := strings.Fields(line)
	parsed := Command{values: map[string]string{}}
	if len(words) > 0 {
		parsed.Name = words[0]
		for _, word := range words[1:] {
			if equals := strings.Index(word, "="); equals > 0 {
				parsed.values[word[:equals]] = word[equals+1:]
			}
		}
	}
	return parsed
}

func (c Command) number(key string, otherwise int) int {
	text, found := c.values[key]
	if !found {
		return otherwise
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("%s=%s is no number", key, text))
	}
	return number
}

func (c Command) text(key, otherwise string) string {
	if text, found := c.values[key]; found {
		return text
	}
	return otherwise
}
