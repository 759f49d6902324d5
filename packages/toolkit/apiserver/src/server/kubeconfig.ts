/** Connection data for a kubeconfig. */
export interface KubeconfigFacts {
  readonly server: string;
  readonly token: string;
  /** PEM of the authority; `undefined` for plain HTTP. */
  readonly ca: string | undefined;
}

/** Formats a kubeconfig in YAML with one cluster, one user and one context, all named `keelson`. */
export function kubeconfigText({ server, token, ca }: KubeconfigFacts): string {
  const authority =
    ca === undefined
      ? ''
      : `\n      certificate-authority-data: ${Buffer.from(ca).toString('base64')}`;
  return `apiVersion: v1
kind: Config
clusters:
  - name: keelson
    cluster:
      server: ${server}${authority}
users:
  - name: keelson
    user:
      token: ${token}
contexts:
  - name: keelson
    context:
      cluster: keelson
      user: keelson
current-context: keelson
`;
}
