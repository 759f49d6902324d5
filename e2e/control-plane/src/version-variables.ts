/**
 * The variables of the linker that give a Kubernetes binary its version, `v1.X.Y`. Without them a server calls itself
 * `v0.0.0-master`.
 */
export function versionVariables(version: string): Record<string, string> {
  const [major = '', minor = ''] = version.slice(1).split('.');
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      `k8s.io/component-base/version.${name}`,
      value,
    ]),
  );
}
