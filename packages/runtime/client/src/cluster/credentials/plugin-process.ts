import type { ChildProcess, ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { abortable, listenToProcess } from '@keelson/apimachinery';
import { CredentialError } from './credential-error.ts';
import { parseJson } from '../../values/parse-json.ts';
import { redacted } from '../../values/redacted.ts';

/** The limits and the environment of the plugins that obtain the credentials of one user. */
export interface PluginSettings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Time limit of one run in milliseconds. */
  readonly timeout: number;
  /** Values that must not appear in an error. */
  readonly secrets: readonly string[];
}

/** One run of a plugin. */
export interface PluginCommand extends PluginSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/**
 * The most bytes of stdout that are read. Credentials, even certificate chains with their keys, have a few kilobytes.
 */
const STDOUT_LIMIT_BYTES = 1024 * 1024;
/** The most bytes of stderr that are read. An error shows only the first line of it. */
const STDERR_LIMIT_BYTES = 4096;
/**
 * After the plugin exits, its output is read for at most this long. A child outside its process group may
 * keep the output open.
 */
const OUTPUT_GRACE_MS = 1000;

const isWindows = process.platform === 'win32';

/**
 * Runs a plugin and resolves with its stdout. Its stdin is closed, and it runs in a process group of its own.
 * The group is killed at the time limit, when the signal aborts, when the plugin exits, or when this process
 * exits.
 */
export async function runPlugin(options: PluginCommand): Promise<string> {
  const { command, args, environment, signal, timeout } = options;
  // Most clusters need no plugin.
  const { spawn } = await import('node:child_process');
  signal?.throwIfAborted();
  const child = spawn(command, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !isWindows,
    windowsHide: true,
  });
  const deadline = new AbortController();
  const late = new CredentialError('the plugin did not end in time', { timeout });
  const timer = setTimeout(() => deadline.abort(late), timeout);
  const end = (): void => endGroup(child);
  const removeListener = listenToProcess('exit', end);
  try {
    return await abortable(outputOf(child, options), [signal, deadline.signal]);
  } finally {
    clearTimeout(timer);
    removeListener();
    endGroup(child);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Parses the output of a plugin. Throws a `CredentialError` if it is not JSON. */
export function parsePluginOutput(output: string): unknown {
  const parsed = parseJson(output);
  if (parsed === undefined) throw new CredentialError('the output is not JSON');
  return parsed;
}

async function outputOf(child: PluginProcess, { secrets }: PluginCommand): Promise<string> {
  const stdout = collect(child.stdout, STDOUT_LIMIT_BYTES);
  const stderr = collect(child.stderr, STDERR_LIMIT_BYTES);
  const ended = endOf(child);
  const tooLong = stdout.overflow.then(() => {
    throw new CredentialError('the output is too long', { limit: STDOUT_LIMIT_BYTES });
  });
  const end = await Promise.race([ended, tooLong]);
  if (end.code === 0) return stdout.text();
  const message = redacted(stderr.text(), secrets);
  const facts = end.code === null ? { signal: end.signal } : { exitCode: end.code };
  throw new CredentialError(message || 'it failed without a message', facts);
}

type PluginProcess = ChildProcessByStdio<null, Readable, Readable>;

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Resolves when the process has exited and its output has been read. Rejects if the process could not be
 * started.
 */
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
  /** Resolves when the stream has exceeded the limit. */
  readonly overflow: Promise<void>;
}

/** Reads a stream to its end and keeps its first `limit` bytes. */
function collect(stream: Readable, limit: number): Collected {
  const chunks: Buffer[] = [];
  let length = 0;
  const overflow = Promise.withResolvers<void>();
  stream.on('data', (chunk: Buffer) => {
    if (length < limit) chunks.push(chunk.subarray(0, limit - length));
    length += chunk.length;
    if (length > limit) overflow.resolve();
  });
  // The exit of the process determines the result, so an error of the stream is ignored.
  stream.on('error', () => undefined);
  return { text: () => Buffer.concat(chunks).toString('utf8'), overflow: overflow.promise };
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill();
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All processes of the group have already exited.
  }
}
