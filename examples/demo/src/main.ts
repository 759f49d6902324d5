import { once } from 'node:events';
import { createClient, createLogger } from '@keelson/manager';
import { openCluster } from '@keelson/example-support';
import { parseArguments, usage, type DemoArguments } from './arguments.ts';
import { isMet, renderChecks } from './check.ts';
import { Demo } from './demo.ts';
import { claimNamespace, type DemoNamespace } from './demo-namespace.ts';
import { LiveScreen, PlainScreen, type Screen } from './screen.ts';

const write = (text: string): boolean => process.stdout.write(text);

function readArguments(): DemoArguments {
  try {
    return parseArguments(process.argv.slice(2));
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${usage}`);
    process.exit(2);
  }
}

/** Runs the demo and resolves to the exit code. */
async function main({ kubeconfig, shops, stay }: DemoArguments, screen: Screen): Promise<number> {
  const began = performance.now();
  await using place = await openCluster(kubeconfig);
  const { cluster, server } = place;
  await using client = createClient({ cluster });
  screen.print(server ? `an embedded API server listens on ${server.url}` : `on ${cluster.server}`);
  const own = await claimNamespace(client);
  let code = 1;
  try {
    const { namespace } = own;
    const logger = createLogger({ level: 'error', write: (line) => screen.print(line) });
    const options = { cluster, server, namespace, shops, screen, logger };
    await using demo = new Demo({ ...options, printsAddresses: stay });
    const checks = await unlessInterrupted(demo.run());
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    screen.print('');
    for (const line of renderChecks(checks)) screen.print(line);
    screen.print(`${demo.summary()}, in ${seconds} s`);
    screen.print('Next: README.md, then docs/guides/first-operator.md');
    if (stay) await untilInterrupted(screen);
    if (checks.every(isMet)) code = 0;
  } finally {
    if (server === undefined && !(await removeNamespace(own, screen))) code = 1;
  }
  return code;
}

/** Whether it succeeded. A failure is printed and not thrown, because it would hide an earlier error. */
async function removeNamespace(own: DemoNamespace, screen: Screen): Promise<boolean> {
  screen.phase(`removing namespace ${own.namespace}`, 1);
  try {
    await own.remove();
    return true;
  } catch (error) {
    screen.print(
      `${messageOf(error)}; kubectl describe namespace ${own.namespace} shows the reason`,
    );
    return false;
  }
}

async function untilInterrupted(screen: Screen): Promise<void> {
  screen.print('Ctrl-C ends');
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}

/** On Ctrl-C, cleans up before the process ends. */
async function unlessInterrupted<T>(work: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const { signal } = stop;
  const interrupted = Promise.race([
    once(process, 'SIGINT', { signal }),
    once(process, 'SIGTERM', { signal }),
  ]).then(() => Promise.reject(new Error('interrupted')));
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    interrupted.catch(() => undefined);
    work.catch(() => undefined);
    stop.abort();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const args = readArguments();
if (args.help) {
  console.log(usage);
} else {
  const screen = process.stdout.isTTY
    ? new LiveScreen(write, () => process.stdout.columns)
    : new PlainScreen(write);
  try {
    process.exitCode = await main(args, screen);
  } catch (error) {
    screen.print(messageOf(error));
    process.exitCode = 1;
  } finally {
    screen.close();
  }
}
