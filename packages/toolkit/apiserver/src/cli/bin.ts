#!/usr/bin/env node
import { realpath } from 'node:fs/promises';
import { parseArguments, usage } from './arguments.ts';
import { standInUsage } from './stand-ins/stand-in-usage.ts';
import { defaultFolder, isStandIn, writeAssets, type StandIn } from './stand-ins/write-assets.ts';
import { UsageError } from './flags/flag-values.ts';

const USAGE_EXIT_CODE = 2;

/** A command beside the server. */
type Command = (words: readonly string[]) => Promise<void>;

const commands: Readonly<Record<string, Command>> = {
  assets: printAssets,
  'stand-in': ([name, ...words]) => standIn(name, words),
};

async function printAssets(words: readonly string[]): Promise<void> {
  const [folder = defaultFolder(process.env), ...rest] = words;
  if (rest.length > 0 || folder === '' || folder.startsWith('-'))
    throw new UsageError('assets takes one folder');
  // npm starts a link to the program.
  const file = await realpath(process.argv[1] ?? '');
  console.log(await writeAssets(folder, [process.execPath, ...process.execArgv, file]));
}

async function standIn(name: string | undefined, words: readonly string[]): Promise<void> {
  if (!isStandIn(name)) throw new UsageError(`there is no stand-in for ${name ?? 'nothing'}`);
  if (words.includes('--help')) console.log(standInUsage[name]);
  else await serveAs(name, words);
}

// The server is loaded only where it runs: envtest starts the program four times, and that for etcd stays.

async function serveAs(name: StandIn, words: readonly string[]): Promise<void> {
  if (name === 'etcd') {
    const { startEtcd } = await import('./stand-ins/etcd.ts');
    const etcd = await startEtcd(words);
    stopBySignal(() => etcd.close().closeAllConnections());
    return;
  }
  const { ignoredFlags, startKubeApiserver } = await import('./stand-ins/kube-apiserver.ts');
  for (const flag of ignoredFlags(words)) console.error(`--${flag} has no effect in this stand-in`);
  const server = await startKubeApiserver(words);
  stopBySignal(() => void server.close());
  console.log(`listening on ${server.url}`);
}

async function serve(words: readonly string[]): Promise<void> {
  const options = parseArguments(words);
  if (options.help) {
    console.log(usage);
    return;
  }
  const { RunningServer } = await import('./running-server.ts');
  const running = await RunningServer.start(options);
  stopBySignal(() => void running[Symbol.asyncDispose]());
  console.log(`listening on ${running.url}`);
  if (running.kubeconfig !== undefined) {
    console.log(`kubectl --kubeconfig ${running.kubeconfig} get namespaces`);
  }
}

function stopBySignal(stop: () => void): void {
  process.once('SIGTERM', stop).once('SIGINT', stop);
}

const [first = '', ...others] = process.argv.slice(2);
try {
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  await (command === undefined ? serve(process.argv.slice(2)) : command(others));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof UsageError) console.error(`\n${usage}`);
  process.exitCode = error instanceof UsageError ? USAGE_EXIT_CODE : 1;
}
