package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// runPods makes the calls of a scheduler, a kubelet and a drain: binding, status, and eviction
// against a budget.
func runPods(ctx context.Context, job *job) error {
	client, err := typedClient(job)
	if err != nil {
		return err
	}
	pods := client.CoreV1().Pods(job.namespace)
	for _, name := range []string{"one", "two", "free"} {
		created, err := pods.Create(ctx, podOf(name), metav1.CreateOptions{})
		job.report.step("create pod "+name, created, err)
	}
	bindAndRun(ctx, job, pods)
	evict(ctx, job, client)
	return nil
}

func bindAndRun(ctx context.Context, job *job, pods typedcorev1.PodInterface) {
	err := pods.Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: "one"},
		Target:     corev1.ObjectReference{Kind: "Node", Name: "node-1"},
	}, metav1.CreateOptions{})
	job.report.step("bind", nil, err)
	bound, err := pods.Get(ctx, "one", metav1.GetOptions{})
	job.report.write(fields{"step": "get what was bound", "error": reasonOf(err), "node": bound.Spec.NodeName})
	bound.Status.Phase = corev1.PodRunning
	bound.Status.Conditions = append(bound.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
	running, err := pods.UpdateStatus(ctx, bound, metav1.UpdateOptions{})
	job.report.write(fields{"step": "update its status", "error": reasonOf(err), "phase": running.Status.Phase})
	running.Spec.Containers[0].Image = "busybox"
	changed, err := pods.Update(ctx, running, metav1.UpdateOptions{})
	job.report.step("change its image", changed, err)
	changed.Spec.NodeName = "node-2"
	_, err = pods.Update(ctx, changed, metav1.UpdateOptions{})
	// The message prints the difference of two Go structs.
	job.report.write(fields{"step": "move it", "error": reasonOf(err)})
}

func evict(ctx context.Context, job *job, client kubernetes.Interface) {
	all := intstr.FromString("100%")
	budget, err := client.PolicyV1().PodDisruptionBudgets(job.namespace).Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "all"},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: &all,
			Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "one"}},
		},
	}, metav1.CreateOptions{})
	job.report.step("create a budget", budget, err)
	now := int64(0)
	for _, name := range []string{"one", "free", "nobody"} {
		// Without the client's own tries, which would be ten in a hundred seconds.
		err := client.CoreV1().RESTClient().Post().MaxRetries(0).
			Namespace(job.namespace).Resource("pods").Name(name).SubResource("eviction").
			Body(&policyv1.Eviction{
				ObjectMeta:    metav1.ObjectMeta{Name: name, Namespace: job.namespace},
				DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: &now},
			}).Do(ctx).Error()
		job.report.step("evict "+name, nil, err)
	}
	left, err := client.CoreV1().Pods(job.namespace).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name!=two"})
	names := []string{}
	for index := range left.Items {
		names = append(names, left.Items[index].Name)
	}
	job.report.write(fields{"step": "list what is left", "error": reasonOf(err), "names": names})
}

func podOf(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
	}
}
