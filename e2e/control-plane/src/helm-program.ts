import { goProgram } from './go-program.ts';

/** Returns the path of the Helm that charts are tested with. */
export function helmProgram(): Promise<string> {
  return goProgram({ name: 'helm', path: 'helm.sh/helm/v3/cmd/helm', version: 'v3.19.0' });
}
