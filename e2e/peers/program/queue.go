package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// measuredQueue contains the operations that a cycle needs.
type measuredQueue interface {
	Add(key string)
	Get() (key string, shutdown bool)
	Done(key string)
	Len() int
	ShutDown()
}

// runQueue measures the priority queue of controller-runtime with its default metrics, or, in a mode
// that begins with "plain-", the rate-limiting queue of client-go. The other part of the mode is
// "cycle" (add, get and done while -queued items are ready) or "delayed" (the lateness of items that
// are due within one second).
func runQueue(_ context.Context, job *job) error {
	switch job.options.mode {
	case "delayed":
		queue := priorityqueue.New[string]("measured")
		return measureLateness(job, queue, func(key string, after time.Duration) {
			queue.AddWithOpts(priorityqueue.AddOpts{After: after}, key)
		})
	case "plain-delayed":
		queue := plainQueue()
		return measureLateness(job, queue, queue.AddAfter)
	case "plain-cycle":
		return measureCycles(job, plainQueue())
	default:
		return measureCycles(job, priorityqueue.New[string]("measured"))
	}
}

func plainQueue() workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
}

func measureCycles(job *job, queue measuredQueue) error {
	defer queue.ShutDown()
	queued, total := job.options.queued, job.options.count
	keys := queueKeys(queued + 1000)
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

func measureLateness(job *job, queue measuredQueue, addAfter func(string, time.Duration)) error {
	defer queue.ShutDown()
	total := job.options.count
	keys := queueKeys(total)
	due := make(map[string]time.Time, total)
	start := time.Now().Add(500*time.Millisecond + time.Duration(total)*time.Microsecond*4)
	for index, key := range keys {
		due[key] = start.Add(time.Duration(index*7919%1000) * time.Millisecond)
		addAfter(key, time.Until(due[key]))
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
