package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/cert"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const webhookPath = "/mutate/maps"

// mapDefaulter adds a label to ConfigMaps, and counts them.
type mapDefaulter struct{ reviews atomic.Int64 }

func (d *mapDefaulter) Default(_ context.Context, configMap *corev1.ConfigMap) error {
	d.reviews.Add(1)
	if configMap.Labels == nil {
		configMap.Labels = map[string]string{}
	}
	configMap.Labels["defaulted"] = "true"
	return nil
}

// runWebhook measures the processor time of the webhook server of controller-runtime for each review. It asks for the
// writes twice: the first ones warm up. A line on standard input says that they were sent.
func runWebhook(ctx context.Context, job *job) error {
	ctrl.SetLogger(logr.Discard())
	kinds, err := newScheme()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "peers-webhook-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	authority, err := writeCertificate(folder)
	if err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	defaulter := &mapDefaulter{}
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: folder})
	server.Register(webhookPath, admission.WithDefaulter[*corev1.ConfigMap](kinds, defaulter))
	ended := make(chan error, 1)
	go func() { ended <- server.Start(ctx) }()
	if err := untilStarted(server, ended); err != nil {
		return err
	}
	ask := func(count int) {
		job.report.write(fields{"ask": fields{
			"name": "review", "path": webhookPath, "port": port, "ca": authority,
			"atOnce": job.options.workers, "count": count,
		}})
		<-job.asked
	}
	ask(job.options.count / 4)
	reviewsBefore, cpuBefore := defaulter.reviews.Load(), cpuSeconds()
	ask(job.options.count)
	cpu, reviews := cpuSeconds()-cpuBefore, defaulter.reviews.Load()-reviewsBefore
	if reviews < int64(job.options.count) {
		return fmt.Errorf("reviewed %d of %d objects", reviews, job.options.count)
	}
	job.report.write(fields{"cpuPerReview": cpu / float64(reviews) * 1e6})
	return nil
}

// writeCertificate writes a certificate that is its own authority, and returns it.
func writeCertificate(folder string) (string, error) {
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, "tls.crt"), certificate, 0o600); err != nil {
		return "", err
	}
	return string(certificate), os.WriteFile(filepath.Join(folder, "tls.key"), key, 0o600)
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func untilStarted(server webhook.Server, ended <-chan error) error {
	started := server.StartedChecker()
	for started(nil) != nil {
		select {
		case err := <-ended:
			return err
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}
