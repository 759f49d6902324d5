package main

import (
	"context"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// runPriority runs a controller with one worker that holds each Widget until the next line of
// input, so that a test sees the order in which the priority queue hands out requests.
func runPriority(ctx context.Context, job *job) error {
	ctrl.SetLogger(logr.Discard())
	manager, err := newManager(job)
	if err != nil {
		return err
	}
	on := true
	err = ctrl.NewControllerManagedBy(manager).
		Named("priority").
		Watches(&Widget{}, &reportingHandler{
			EventHandler: handler.WithLowPriorityWhenUnchanged(&handler.EnqueueRequestForObject{}),
			report:       job.report,
		}).
		WithOptions(controller.Options{UsePriorityQueue: &on, MaxConcurrentReconciles: 1}).
		Complete(reconcile.Func(func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
			job.report.write(fields{"holds": request.Name})
			select {
			case <-job.asked:
			case <-ctx.Done():
			}
			return ctrl.Result{}, nil
		}))
	if err != nil {
		return err
	}
	err = manager.Start(ctx)
	job.report.write(fields{"ended": true})
	return err
}

// reportingHandler reports each event after its request is in the queue.
type reportingHandler struct {
	handler.EventHandler
	report *report
}

type requestQueue = workqueue.TypedRateLimitingInterface[reconcile.Request]

func (h *reportingHandler) Create(ctx context.Context, created event.TypedCreateEvent[client.Object], queue requestQueue) {
	h.EventHandler.Create(ctx, created, queue)
	h.report.write(fields{"queued": created.Object.GetName(), "initial": created.IsInInitialList})
}

func (h *reportingHandler) Update(ctx context.Context, updated event.TypedUpdateEvent[client.Object], queue requestQueue) {
	h.EventHandler.Update(ctx, updated, queue)
	h.report.write(fields{"queued": updated.ObjectNew.GetName(), "initial": false})
}
