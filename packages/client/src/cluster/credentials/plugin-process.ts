import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { abortable } from '@keelson/apimachinery';
import { CredentialFailure } from './credential-failure.ts';
import { parseJson } from '../../values/parse-json.ts';
import { redacted } from '../../values/redacted.ts';

/** How programs that obtain credentials are run for one user. */
export interface PluginSettings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds. */
  readonly timeout: number;
  /** Values that must not appear in an error. */
  readonly secrets: readonly string[];
}

/** One run. */
export interface PluginCommand extends PluginSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Bound of stdout. Credentials are a few kilobytes; certificate chains with their keys a few more. */
const LONGEST_OUTPUT_BYTES = 1024 * 1024;
/** Bound of stderr, of which an error shows the first line. */
const LONGEST_COMPLAINT_BYTES = 4096;
/** A process that the plugin left behind outside its group may hold the output open. */
const OUTPUT_GRACE_MS = 1000;

const isWindows = process.platform === 'win32';

/**
 * Runs a program and resolves with what it printed on stdout. Its stdin is closed, and it runs in a process
 * group of its own, which ends at the time limit, when the signal aborts, when the program itself ends, or with this
 * process.
 */
export async function runPlugin(options: PluginCommand): Promise<string> {
  const { command, args, environment, signal, timeout } = options;
  signal?.throwIfAborted();
  const child = spawn(command, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !isWindows,
    windowsHide: true,
  });
  const deadline = new AbortController();
  const late = new CredentialFailure('the plugin did not end in time', { timeout });
  const timer = setTimeout(() => deadline.abort(late), timeout);
  const end = (): void => endGroup(child);
  process.on('exit', end);
  try {
    return await abortable(outputOf(child, options), [signal, deadline.signal]);
  } finally {
    clearTimeout(timer);
    process.off('exit', end);
    endGroup(child);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Parses what a plugin printed. Throws a `CredentialFailure` if it is not JSON. */
export function parsePluginOutput(output: string): unknown {
  const parsed = parseJson(output);
  if (parsed === undefined) throw new CredentialFailure('the output is not JSON');
  return parsed;
}

async function outputOf(child: PluginProcess, { secrets }: PluginCommand): Promise<string> {
  const stdout = collect(child.stdout, LONGEST_OUTPUT_BYTES);
  const stderr = collect(child.stderr, LONGEST_COMPLAINT_BYTES);
  const ended = endOf(child);
  const tooLong = stdout.overflow.then(() => {
    throw new CredentialFailure('the output is too long', { limit: LONGEST_OUTPUT_BYTES });
  });
  const end = await Promise.race([ended, tooLong]);
  if (end.code === 0) return stdout.text();
  const complaint = redacted(stderr.text(), secrets);
  const how = end.code === null ? { signal: end.signal } : { exitCode: end.code };
  throw new CredentialFailure(complaint || 'it failed without a message', how);
}

type PluginProcess = ChildProcessByStdio<null, Readable, Readable>;

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Resolves when the process has ended and its output was read; rejects if it could not be started. */
function endOf(child: ChildProcess): Promise<End> {
  const { promise, resolve, reject } = Promise.withResolvers<End>();
  let grace: NodeJS.Timeout | undefined;
  child.on('error', reject);
  child.on('exit', (code, signal) => {
    endGroup(child);
    grace = setTimeout(() => resolve({ code, signal }), OUTPUT_GRACE_MS);
  });
  child.on('close', (code, signal) => {
    clearTimeout(grace);
    resolve({ code, signal });
  });
  return promise;
}

interface Collected {
  readonly text: () => string;
  /** Resolves when more came than is kept. */
  readonly overflow: Promise<void>;
}

/** Reads a stream to its end and keeps its beginning. */
function collect(stream: Readable, limit: number): Collected {
  const chunks: Buffer[] = [];
  let length = 0;
  const overflow = Promise.withResolvers<void>();
  stream.on('data', (chunk: Buffer) => {
    if (length < limit) chunks.push(chunk.subarray(0, limit - length));
    length += chunk.length;
    if (length > limit) overflow.resolve();
  });
  // The end of the process says what happened.
  stream.on('error', () => undefined);
  return { text: () => Buffer.concat(chunks).toString('utf8'), overflow: overflow.promise };
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill();
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
