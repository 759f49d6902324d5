package main

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// runReviews requests reviews of the identity and the permissions of users.
func runReviews(ctx context.Context, job *job) error {
	client, err := typedClient(job)
	if err != nil {
		return err
	}
	token, err := serviceAccountToken(ctx, job, client)
	if err != nil {
		return err
	}
	reviewTokens(ctx, job, client, token)
	reviewAccess(ctx, job, client)
	return reviewOwnAccess(ctx, job, token)
}

// serviceAccountToken creates a service account that may read ConfigMaps.
func serviceAccountToken(ctx context.Context, job *job, client *kubernetes.Clientset) (string, error) {
	reader := metav1.ObjectMeta{Name: "reader"}
	account, err := client.CoreV1().ServiceAccounts(job.namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: reader}, metav1.CreateOptions{})
	job.report.step("create a service account", account, err)
	role, err := client.RbacV1().Roles(job.namespace).Create(ctx, &rbacv1.Role{
		ObjectMeta: reader,
		Rules:      []rbacv1.PolicyRule{{Verbs: []string{"get", "list"}, APIGroups: []string{""}, Resources: []string{"configmaps"}}},
	}, metav1.CreateOptions{})
	job.report.step("create a role", role, err)
	binding, err := client.RbacV1().RoleBindings(job.namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: reader,
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: job.namespace, Name: "reader"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
	}, metav1.CreateOptions{})
	job.report.step("create a binding", binding, err)
	request, err := client.CoreV1().ServiceAccounts(job.namespace).CreateToken(ctx, "reader", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return request.Status.Token, nil
}

func reviewTokens(ctx context.Context, job *job, client *kubernetes.Clientset, token string) {
	for _, value := range []string{token, "not-a-token"} {
		review, err := client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
			Spec: authenticationv1.TokenReviewSpec{Token: value},
		}, metav1.CreateOptions{})
		line := fields{"step": "review a token", "right": value == token, "error": reasonOf(err)}
		if err == nil {
			line["authenticated"] = review.Status.Authenticated
			line["user"] = review.Status.User.Username
			line["groups"] = review.Status.User.Groups
		}
		job.report.write(line)
	}
}

func reviewAccess(ctx context.Context, job *job, client *kubernetes.Clientset) {
	for _, verb := range []string{"get", "delete"} {
		spec := authorizationv1.SubjectAccessReviewSpec{
			User:               "system:serviceaccount:" + job.namespace + ":reader",
			Groups:             []string{"system:serviceaccounts"},
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: job.namespace, Verb: verb, Resource: "configmaps"},
		}
		review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{Spec: spec}, metav1.CreateOptions{})
		job.report.write(fields{"step": "may he " + verb, "error": reasonOf(err), "allowed": err == nil && review.Status.Allowed})
		local, err := client.AuthorizationV1().LocalSubjectAccessReviews(job.namespace).Create(ctx, &authorizationv1.LocalSubjectAccessReview{
			ObjectMeta: metav1.ObjectMeta{Namespace: job.namespace}, Spec: spec,
		}, metav1.CreateOptions{})
		job.report.write(fields{"step": "may he " + verb + " here", "error": reasonOf(err), "allowed": err == nil && local.Status.Allowed})
	}
}

func reviewOwnAccess(ctx context.Context, job *job, token string) error {
	config := rest.AnonymousClientConfig(job.config)
	config.BearerToken = token
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	self, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	job.report.write(fields{"step": "who am I", "error": reasonOf(err), "user": self.Status.UserInfo.Username, "groups": self.Status.UserInfo.Groups})
	for _, verb := range []string{"list", "create"} {
		review, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: job.namespace, Verb: verb, Resource: "configmaps"},
			},
		}, metav1.CreateOptions{})
		job.report.write(fields{"step": "may I " + verb, "error": reasonOf(err), "allowed": err == nil && review.Status.Allowed})
	}
	_, err = client.CoreV1().ConfigMaps(job.namespace).List(ctx, metav1.ListOptions{})
	job.report.step("list what is allowed", nil, err)
	_, err = client.CoreV1().Secrets(job.namespace).List(ctx, metav1.ListOptions{})
	job.report.step("list what is forbidden", nil, err)
	return nil
}
