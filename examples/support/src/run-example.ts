import {
  createClient,
  createLogger,
  type Client,
  type Manager,
  type ManagerOptions,
} from '@keelson/manager';
import type { Definition } from './definition.ts';
import { exampleArguments } from './example-arguments.ts';
import { openCluster } from './example-cluster.ts';
import { install } from './install.ts';

/** The parts of an example. */
export interface Example {
  /** Its name and what it shows, for `--help`. */
  readonly title: string;
  readonly definitions: readonly Definition[];
  createOperator(options: ManagerOptions): Manager;
  /** Shows what the operator does, on a server of its own. */
  tour(client: Client, say: (line: string) => void): Promise<void>;
}

/** Runs an example as its command line says. Ends the process if the command line is invalid. */
export async function runExample(example: Example): Promise<void> {
  const { kubeconfig, stay } = exampleArguments(example.title);
  await using place = await openCluster(kubeconfig);
  const { cluster, server } = place;
  await using client = createClient({ cluster });
  await install(client, example.definitions);
  // The tour prints its own steps. Afterwards, and on a cluster, the operator's log is shown.
  const touring = server !== undefined && !stay;
  const logger = createLogger({ level: touring ? 'silent' : 'info' });
  await using operator = example.createOperator({ cluster, logger });
  const running = operator.start();
  if (server !== undefined) {
    await Promise.race([example.tour(client, console.log), running]);
    if (stay) console.log(`the API server listens on ${server.url}; Ctrl-C ends`);
    else await operator.stop();
  }
  await running;
}
