#!/usr/bin/env node
import { parseArguments, usage, UsageError } from './arguments.ts';
import { RunningServer } from './running-server.ts';

const USAGE_EXIT_CODE = 2;

async function main(words: readonly string[]): Promise<void> {
  const options = parseArguments(words);
  if (options.help) {
    console.log(usage);
    return;
  }
  const running = await RunningServer.start(options);
  console.log(`listening on ${running.url}`);
  if (running.kubeconfig !== undefined) {
    console.log(`kubectl --kubeconfig ${running.kubeconfig} get namespaces`);
  }
  const stop = (): void => void running[Symbol.asyncDispose]();
  process.once('SIGTERM', stop).once('SIGINT', stop);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof UsageError) console.error(`\n${usage}`);
  process.exitCode = error instanceof UsageError ? USAGE_EXIT_CODE : 1;
}
