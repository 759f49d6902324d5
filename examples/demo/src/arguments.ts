import { parseArgs } from 'node:util';

/** The arguments of the demo's command line. */
export interface DemoArguments {
  /** Run against this cluster instead of the embedded server. */
  readonly kubeconfig: string | undefined;
  readonly shops: number;
  /** Keep running after the summary. */
  readonly stay: boolean;
  readonly help: boolean;
}

export const usage = `npm run demo [-- OPTIONS]

One manager with three controllers on a few hundred objects. A watch is added and removed, every
watch is broken while objects are deleted, and at the end the demo checks the statistics of the
API server.

  --shops N           the number of Shops; each has a Deployment and a Service (default 200)
  --stay              print the addresses of the inspector and of /metrics, and keep running
  --kubeconfig FILE   run against this cluster, in a namespace of its own that is removed at the
                      end; its watches are not broken
  --help              this text`;

/** Reads the command line. Throws an error with a sentence for the user. */
export function parseArguments(args: readonly string[]): DemoArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kubeconfig: { type: 'string' },
      shops: { type: 'string', default: '200' },
      stay: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const shops = Number(values.shops);
  if (!Number.isInteger(shops) || shops < 10 || shops > 10_000) {
    throw new Error(`--shops must be a whole number from 10 to 10000, not "${values.shops}"`);
  }
  return { kubeconfig: values.kubeconfig, shops, stay: values.stay, help: values.help };
}
