#!/usr/bin/env node
import { readFile, writeFile } from 'node:fs/promises';
import { parseTokenFile } from '../auth/token-file.ts';
import { parseArguments, usage, UsageError, type Arguments } from './arguments.ts';
import { createApiServer, type ApiServer } from '../index.ts';

const USAGE_EXIT_CODE = 2;

async function serve(options: Arguments): Promise<ApiServer> {
  const { port, tls, authorizationMode, anonymousAuth, tokenAuthFile, kubeconfigOut } = options;
  const tokens =
    tokenAuthFile === undefined ? undefined : parseTokenFile(await readFile(tokenAuthFile, 'utf8'));
  const server = await createApiServer({
    port,
    tls,
    authorizationMode,
    anonymousAuth,
    ...(tokens && { tokens }),
  });
  // The kubeconfig contains an administrator's token.
  if (kubeconfigOut !== undefined) {
    await writeFile(kubeconfigOut, server.kubeconfig(), { mode: 0o600 });
  }
  return server;
}

async function main(words: readonly string[]): Promise<void> {
  const options = parseArguments(words);
  if (options.help) {
    console.log(usage);
    return;
  }
  const server = await serve(options);
  console.log(`listening on ${server.url}`);
  if (options.kubeconfigOut !== undefined) {
    console.log(`kubectl --kubeconfig ${options.kubeconfigOut} get namespaces`);
  }
  const stop = (): void => void server.close();
  process.once('SIGTERM', stop).once('SIGINT', stop);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof UsageError) console.error(`\n${usage}`);
  process.exitCode = error instanceof UsageError ? USAGE_EXIT_CODE : 1;
}
