package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

// runRecorder records events with both recorders of client-go. The test reads them from the server,
// and requests the repetitions when the first event is stored: an earlier repetition may find no event
// to count up, and client-go retries only after ten seconds.
func runRecorder(ctx context.Context, job *job) error {
	client, err := typedClient(job)
	if err != nil {
		return err
	}
	about, err := client.CoreV1().ConfigMaps(job.namespace).Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "subject"},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	stopCore := recordCoreEvents(ctx, job, client, about)
	defer stopCore()
	stopNew := recordNewEvents(ctx, job, client, about)
	defer stopNew()
	for range job.asked {
	}
	return nil
}

func recordCoreEvents(ctx context.Context, job *job, client *kubernetes.Clientset, about *corev1.ConfigMap) func() {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(job.namespace)})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "peers"})
	for range 3 {
		recorder.Event(about, corev1.EventTypeNormal, "Repeated", "said three times")
	}
	recorder.Eventf(about, corev1.EventTypeWarning, "Single", "said %s", "once")
	return broadcaster.Shutdown
}

func recordNewEvents(ctx context.Context, job *job, client *kubernetes.Clientset, about *corev1.ConfigMap) func() {
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	// It fails only if the context has already ended.
	_ = broadcaster.StartRecordingToSinkWithContext(ctx)
	recorder := broadcaster.NewRecorder(scheme.Scheme, "keelson.dev/peers")
	record := func() {
		recorder.Eventf(about, nil, corev1.EventTypeNormal, "Series", "Testing", "said again")
	}
	record()
	job.report.write(fields{"recorded": "first"})
	<-job.asked
	record()
	record()
	job.report.write(fields{"recorded": "again"})
	return broadcaster.Shutdown
}
