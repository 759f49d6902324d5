import { relative } from 'node:path';
import { readProject, type Project } from '../project/project.ts';
import { EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import type { DevCluster } from './cluster/dev-cluster.ts';
import { ExistingCluster } from './cluster/existing-cluster.ts';
import { MemoryCluster } from './cluster/memory-cluster.ts';
import { DevHost } from './dev-host.ts';
import { ProgramReaper } from './program/program-reaper.ts';
import { SessionPorts } from './ports/session-ports.ts';
import { onQuitSignals, type SignalSource } from './quit-signals.ts';
import { DevSession } from './session/session.ts';
import { SourceWatcher } from './watch/source-watcher.ts';
import { watchedPaths } from './watch/watched-paths.ts';

/** The choices of `keelson dev`. */
export interface DevOptions {
  /** The folder of the project. */
  readonly folder: string;
  /** The arguments of the program. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** An existing cluster; undefined for a server in memory. */
  readonly existing:
    | {
        readonly kubeconfig: string | undefined;
        readonly context: string | undefined;
        readonly installCrds: boolean;
      }
    | undefined;
  /** The port of the server in memory; 0 for any. */
  readonly port: number;
  /** The signals that end the command. */
  readonly signals: SignalSource;
}

/** Runs a project until the user quits, and restarts it after changes. */
export async function runDev(options: DevOptions, terminal: Terminal): Promise<ExitCode> {
  const { folder, args, env, signals } = options;
  const project = await readProject(folder);
  await using cluster = await clusterOf(project, options);
  for (const line of cluster.description) terminal.print(line);
  const reaper = new ProgramReaper(cluster.credentialsFile ?? '');
  try {
    await runSession();
  } finally {
    reaper.done();
  }
  return EXIT_OK;

  async function runSession(): Promise<void> {
    await using ports = new SessionPorts(env);
    await using watcher = await SourceWatcher.start(project, {
      changed: (at) => {
        host.noteChange(at);
        session.change();
      },
      failed: (error) => terminal.complain(`error: watching the files failed: ${error.message}`),
    });
    const host = new DevHost({
      project,
      args,
      env,
      cluster,
      reaper,
      ports,
      terminal,
      onProject: (current) => watcher.follow(current),
    });
    const watched = watchedPaths(project).map((path) => relative(project.folder, path) || '.');
    terminal.print(`watching    ${watched.join(' ')}`);
    const session = new DevSession(host);
    const removeListeners = onQuitSignals(signals, () => session.quit());
    await session.closed.finally(removeListeners);
  }
}

async function clusterOf(
  { folder, namespace }: Project,
  { existing, env, port }: DevOptions,
): Promise<DevCluster> {
  return existing === undefined
    ? MemoryCluster.start({ folder, port, namespace })
    : ExistingCluster.open({ ...existing, env });
}
