import { createApiServer, snapshotText } from '@keelson/apiserver';
import { createClient, loadCluster } from '@keelson/client';
import { replaceFile } from '../output/replace-file.ts';
import { CliError } from '../errors.ts';
import { EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { ClusterReader, nameOf } from './cluster-reader.ts';
import { SnapshotObjects } from './snapshot-objects.ts';

/** The options of `keelson snapshot`. */
export interface SnapshotOptions {
  readonly output: string;
  readonly kinds?: string;
  readonly namespace?: string;
  readonly selector?: string;
  readonly secrets?: boolean;
  readonly skipForbidden?: boolean;
  readonly managedFields: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Only the owner of the file may read it: objects of a cluster are not public. */
const PRIVATE = 0o600;

/**
 * Reads the objects of a cluster and writes them into a file, if every kind could be read. Throws the errors of `loadCluster`
 * and of `ClusterReader.read`, and `OUTPUT_FAILED`.
 */
export async function runSnapshot(options: SnapshotOptions, terminal: Terminal): Promise<ExitCode> {
  const { kubeconfig: file, context, output } = options;
  const restorable = await restorableKinds();
  await using client = createClient({ cluster: await loadCluster({ file, context }) });
  const objects = new SnapshotObjects({ keepsManagedFields: options.managedFields });
  const reader = new ClusterReader(client, {
    kinds: namesIn(options.kinds),
    namespaces: namesIn(options.namespace),
    selector: options.selector,
    secrets: options.secrets === true,
    skipsForbidden: options.skipForbidden === true,
    restorable,
    report: (line) => terminal.note(line),
  });
  await reader.read(objects);
  const { gitVersion: kubernetes } = await client.discovery.version();
  const { lines, released } = objects.finish();
  const { revision } = objects;
  await write(output, snapshotText({ kubernetes, lines, revision }));
  if (released > 0) terminal.note(`removed ${released} references to owners that are left out`);
  const { length } = lines;
  terminal.print(`written ${output}: ${length} objects at resourceVersion ${revision}`);
  return EXIT_OK;
}

async function write(file: string, lines: Iterable<string>): Promise<void> {
  try {
    await replaceFile(file, lines, PRIVATE);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('OUTPUT_FAILED', { file, reason }, { cause });
  }
}

/** The names of the built-in kinds of the server in memory. */
async function restorableKinds(): Promise<ReadonlySet<string>> {
  await using server = await createApiServer();
  await using client = createClient({ cluster: server.cluster });
  const resources = await client.discovery.resources();
  return new Set(resources.map(nameOf));
}

function namesIn(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').filter((name) => name !== '');
}
