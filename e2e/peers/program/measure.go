package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// runMeasure measures the time and memory of a typed pod informer from its start until it is synced
// and its handler has received every pod.
func runMeasure(ctx context.Context, job *job) error {
	client, err := typedClient(job)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	delivered := 0
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { delivered++ },
	})
	if err != nil {
		return err
	}
	bytesBefore, cpuBefore, start := heldBytes(), cpuSeconds(), time.Now()
	factory.StartWithContext(ctx)
	if err := untilSynced(ctx, registration.HasSynced); err != nil {
		return err
	}
	elapsed, cpu := time.Since(start), cpuSeconds()-cpuBefore
	if delivered != job.options.count {
		return fmt.Errorf("delivered %d of %d pods", delivered, job.options.count)
	}
	peak, err := peakMegabytes()
	if err != nil {
		return err
	}
	held := heldBytes() - bytesBefore
	job.report.write(fields{
		"ms": float64(elapsed.Microseconds()) / 1000, "cpu": cpu, "peakRss": peak,
		"bytesPerObject": float64(held) / float64(delivered),
	})
	// The store has to live until here, else its objects are collected before they are counted.
	runtime.KeepAlive(informer)
	return nil
}

// untilSynced looks often: client-go's own wait looks every 100 ms.
func untilSynced(ctx context.Context, synced cache.InformerSynced) error {
	for !synced() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

func heldBytes() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	// It fails only for a subject that does not exist.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// peakMegabytes returns the peak memory of this process. The value of getrusage includes the parent's.
func peakMegabytes() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes float64
	_, err = fmt.Sscanf(rest, "%f", &kilobytes)
	return kilobytes / 1024, err
}
