package main

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Short, so that a test sees another replica take over; in client-go's own proportions.
const (
	leaseDuration = 5 * time.Second
	renewDeadline = 3 * time.Second
	retryPeriod   = 500 * time.Millisecond
)

// runElection takes part in a leader election with client-go's elector until the input ends or
// leadership is lost.
func runElection(ctx context.Context, job *job) error {
	client, err := typedClient(job)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: job.namespace, Name: job.options.lease},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: job.options.identity},
		},
		LeaseDuration:   leaseDuration,
		RenewDeadline:   renewDeadline,
		RetryPeriod:     retryPeriod,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				job.report.write(fields{"leading": job.options.identity})
			},
			OnStoppedLeading: func() { job.report.write(fields{"stopped": job.options.identity}) },
			OnNewLeader:      func(leader string) { job.report.write(fields{"observed": leader}) },
		},
	})
	if err != nil {
		return err
	}
	go ignoreAsked(job)
	elector.Run(ctx)
	job.report.write(fields{"ended": true})
	return nil
}

// ignoreAsked reads the input, so that its end is noticed.
func ignoreAsked(job *job) {
	for range job.asked {
	}
}
