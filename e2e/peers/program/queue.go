package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// runQueue measures the priority queue of controller-runtime with its default metrics. The mode is
// "cycle" (add, get and done while -queued items are ready) or "delayed" (the lateness of items that
// are due within one second).
func runQueue(_ context.Context, job *job) error {
	if job.options.mode == "delayed" {
		return measureLateness(job)
	}
	return measureCycles(job)
}

func measureCycles(job *job) error {
	queued, total := job.options.queued, job.options.count
	keys := queueKeys(queued + 1000)
	queue := priorityqueue.New[string]("measured")
	defer queue.ShutDown()
	for _, key := range keys[:queued] {
		queue.Add(key)
	}
	for queue.Len() < queued {
		time.Sleep(time.Millisecond)
	}
	start := time.Now()
	for count := range total {
		queue.Add(keys[(queued+count)%len(keys)])
		item, shutdown := queue.Get()
		if shutdown {
			return fmt.Errorf("the queue ended after %d items", count)
		}
		queue.Done(item)
	}
	job.report.write(fields{"perSecond": float64(total) / time.Since(start).Seconds()})
	return nil
}

func measureLateness(job *job) error {
	total := job.options.count
	keys := queueKeys(total)
	queue := priorityqueue.New[string]("measured")
	defer queue.ShutDown()
	due := make(map[string]time.Time, total)
	start := time.Now().Add(500*time.Millisecond + time.Duration(total)*time.Microsecond*4)
	for index, key := range keys {
		due[key] = start.Add(time.Duration(index*7919%1000) * time.Millisecond)
		queue.AddWithOpts(priorityqueue.AddOpts{After: time.Until(due[key])}, key)
	}
	late := make([]float64, 0, total)
	for range total {
		item, _ := queue.Get()
		late = append(late, float64(time.Since(due[item]).Microseconds())/1000)
		queue.Done(item)
	}
	slices.Sort(late)
	job.report.write(fields{"p99": late[total*99/100]})
	return nil
}

func queueKeys(count int) []string {
	keys := make([]string, count)
	for index := range keys {
		keys[index] = fmt.Sprintf("namespace-%d/name-%d", index%100, index)
	}
	return keys
}
