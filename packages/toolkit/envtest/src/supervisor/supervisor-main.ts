import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { ProcessReaper } from './process-reaper.ts';
import { hasStopped } from './stopped-process.ts';
import type { SupervisorCommand, SupervisorReport } from './supervisor-messages.ts';

/**
 * Runs the processes of a control plane outside the test process. When the test process ends for any reason, its
 * IPC channel closes. The supervisor then ends its children, newest first, removes their folder and exits.
 */
/** The children by name, in the order of their first start; a restarted child keeps its position. */
const children = new Map<string, ChildProcess>();
let folder: string | undefined;
/** Ends the children if this process is killed; created before the first child. */
let reaper: ProcessReaper | undefined;
let stopTimeout = 0;

function report(message: SupervisorReport): void {
  // With a callback a failed send emits no 'error' event: the test process may end before its channel closes here.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

function start({ name, command, args }: Extract<SupervisorCommand, { type: 'start' }>): void {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.set(name, child);
  reaper?.add(child.pid);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => report({ type: 'output', name, text }));
  }
  child.once('error', (error) => report({ type: 'exit', name, reason: error.message }));
  child.once('exit', (code, signal) => {
    reaper?.remove(child.pid);
    report({ type: 'exit', name, reason: signal ?? `code ${code}` });
  });
}

async function send({
  name,
  signal,
}: Extract<SupervisorCommand, { type: 'signal' }>): Promise<void> {
  const child = children.get(name);
  child?.kill(signal);
  if (signal === 'SIGSTOP' && child?.pid !== undefined) await hasStopped(child.pid);
  report({ type: 'signalled', name, signal });
}

function adopt(command: Extract<SupervisorCommand, { type: 'adopt' }>): void {
  ({ folder, stopTimeout } = command);
  reaper = new ProcessReaper(folder);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeout);
  child.kill('SIGTERM');
  // A paused process handles SIGTERM only after SIGCONT.
  child.kill('SIGCONT');
  await promise;
  clearTimeout(kill);
}

async function stopAll(): Promise<void> {
  for (const child of [...children.values()].toReversed()) {
    // etcd ends last, because an API server without its etcd takes long to end.
    await stop(child);
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  reaper?.done();
}

process.on('message', (command: SupervisorCommand) => {
  if (command.type === 'start') start(command);
  else if (command.type === 'signal') void send(command);
  else adopt(command);
});
process.once('disconnect', () => void stopAll());
report({ type: 'ready' });
