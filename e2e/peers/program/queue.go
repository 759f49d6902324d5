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
// "cycle" (add, get and done while -queued items are ready), "fill" (add -queued items, then get and
// finish all of them), "workers" (1 000 adds at a time beside -workers workers) or "delayed" (the
// lateness of items that are due within one second).
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
	case "fill":
		return measureFills(job, func() measuredQueue { return priorityqueue.New[string]("measured") })
	case "plain-fill":
		return measureFills(job, func() measuredQueue { return plainQueue() })
	case "workers":
		return measureContendedAdds(job, priorityqueue.New[string]("measured"))
	case "plain-workers":
		return measureContendedAdds(job, plainQueue())
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

// measureFills fills a new queue with -queued items and drains it, until -count items are done.
func measureFills(job *job, create func() measuredQueue) error {
	keys := queueKeys(job.options.queued)
	done := 0
	start := time.Now()
	for done < job.options.count {
		queue := create()
		for _, key := range keys {
			queue.Add(key)
		}
		for range keys {
			item, shutdown := queue.Get()
			if shutdown {
				return fmt.Errorf("the queue ended after %d items", done)
			}
			queue.Done(item)
			done++
		}
		queue.ShutDown()
	}
	job.report.write(fields{"perSecond": float64(done) / time.Since(start).Seconds()})
	return nil
}

// measureContendedAdds is the benchmark of kubernetes-sigs/controller-runtime#3415: 1 000 adds at a
// time to a queue with -queued items while -workers workers hold each item for 1 ms. The times are
// those of the 1 000 adds, in -count rounds.
func measureContendedAdds(job *job, queue measuredQueue) error {
	defer queue.ShutDown()
	keys := queueKeys(job.options.queued)
	for _, key := range keys {
		queue.Add(key)
	}
	for range job.options.workers {
		go func() {
			for {
				item, shutdown := queue.Get()
				if shutdown {
					return
				}
				time.Sleep(time.Millisecond)
				queue.Done(item)
			}
		}()
	}
	times := make([]float64, 0, job.options.count)
	for range job.options.count {
		start := time.Now()
		for _, key := range keys[:1000] {
			queue.Add(key)
		}
		times = append(times, float64(time.Since(start).Nanoseconds())/1000)
	}
	slices.Sort(times)
	job.report.write(fields{"p50": times[len(times)/2], "p99": times[len(times)*99/100]})
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
