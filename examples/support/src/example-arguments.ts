import { parseArgs } from 'node:util';

/** The arguments of an example's command line. */
export interface ExampleArguments {
  /** Run against this cluster instead of the embedded server. */
  readonly kubeconfig: string | undefined;
  /** Keep running instead of ending after the tour. */
  readonly stay: boolean;
}

/**
 * Reads the command line. Ends the process for `--help`, and with exit code 2 for an
 * unknown argument.
 */
export function exampleArguments(title: string): ExampleArguments {
  try {
    const options = {
      kubeconfig: { type: 'string' },
      stay: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    } as const;
    const { values } = parseArgs({ options });
    if (values.help) {
      console.log(usage(title));
      process.exit(0);
    }
    return { kubeconfig: values.kubeconfig, stay: values.stay };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage(title)}`);
    process.exit(2);
  }
}

function usage(title: string): string {
  return `${title}

  npm start                        a tour on an API server inside this process
  npm start -- --stay              the same, and then it keeps running
  npm start -- --kubeconfig FILE   the operator alone, against that cluster, until Ctrl-C`;
}
