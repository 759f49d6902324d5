import { invalidOption } from '@keelson/apimachinery';

/**
 * The powers of a kubeconfig over the process.
 *
 * - `plugins`: run the command of an `exec` or `auth-provider`, or ask its identity provider.
 * - `files`: read a file of this machine and send its content to the server of the kubeconfig.
 */
export type KubeConfigPower = 'plugins' | 'files';

const powers: readonly string[] = ['plugins', 'files'] satisfies KubeConfigPower[];

/** Throws `INVALID_OPTION` unless the value is a list of powers. */
export function checkPowers(allow: unknown, where: string): void {
  if (Array.isArray(allow) && allow.every((power) => powers.includes(power))) return;
  throw invalidOption(where, 'must be a list of plugins and files');
}
