package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// sentAnnotation contains the microsecond at which the server of the benchmark sent an event.
const sentAnnotation = "bench/sent"

// runBurst measures the time from the first to the last handled event while the server writes
// without pauses.
func runBurst(ctx context.Context, job *job) error {
	events := job.options.count
	var first, last time.Time
	delivered, all := 0, make(chan struct{})
	err := watchPods(ctx, job, func(*corev1.Pod) {
		if delivered == 0 {
			first = time.Now()
		}
		if delivered++; delivered == events {
			last = time.Now()
			close(all)
		}
	})
	if err != nil {
		return err
	}
	before := cpuSeconds()
	job.report.write(fields{"ask": fields{"name": "burst"}})
	if err := wait(ctx, all); err != nil {
		return err
	}
	cpu := cpuSeconds() - before
	job.report.write(fields{
		"perSecond": float64(events) / last.Sub(first).Seconds(),
		"cpuPer10k": cpu * 10_000 / float64(events),
	})
	return nil
}

// runLatency measures the time from the server's write to the handler at a steady rate. The first
// second is a warm-up.
func runLatency(ctx context.Context, job *job) error {
	events, perSecond := job.options.count, job.options.perSecond
	delays, all := make([]float64, 0, events), make(chan struct{})
	err := watchPods(ctx, job, func(pod *corev1.Pod) {
		sent, _ := strconv.ParseInt(pod.Annotations[sentAnnotation], 10, 64)
		delays = append(delays, float64(microseconds()-sent))
		if len(delays) == events {
			close(all)
		}
	})
	if err != nil {
		return err
	}
	job.report.write(fields{"ask": fields{"name": "pace", "perSecond": perSecond, "count": events}})
	if err := wait(ctx, all); err != nil {
		return err
	}
	warm := delays[perSecond:]
	slices.Sort(warm)
	job.report.write(fields{"p50": warm[len(warm)/2], "p99": warm[len(warm)*99/100]})
	return nil
}

// watchPods starts a typed informer of all pods and returns when it is synced. The handler receives
// each later change.
func watchPods(ctx context.Context, job *job, handle func(*corev1.Pod)) error {
	client, err := typedClient(job)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	registration, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, after any) { handle(after.(*corev1.Pod)) },
	})
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	return untilSynced(ctx, registration.HasSynced)
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("ended before the last event: %w", ctx.Err())
	}
}

// microseconds returns the monotonic clock that all processes of a machine share.
func microseconds() int64 {
	var now unix.Timespec
	// It fails only for an unknown clock.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return now.Nano() / 1000
}
