import { afterAll, beforeAll, expect } from '@jest/globals';
import { kubectlFor, type Kubectl } from './kubectl.ts';
import { startServer, type RunningServer } from './running-server.ts';

/** A server for the tests of one file, and kubectl with its kubeconfig. */
export interface Session {
  readonly kubectl: Kubectl;
  /** A folder that is removed with the server. */
  readonly folder: string;
  /** Pipes a manifest into a kubectl that must succeed. */
  readonly pipe: (input: string, ...words: string[]) => Promise<string>;
  /** Returns the output of kubectl with `-o json`, parsed. */
  readonly jsonOf: (...words: string[]) => Promise<unknown>;
}

/** Starts the server with these options before the tests of a file, and ends it after them. */
export function openSession(...options: readonly string[]): Session {
  let server: RunningServer | undefined;
  let opened: Kubectl | undefined;

  beforeAll(async () => {
    server = await startServer(options);
    opened = kubectlFor(server.kubeconfig, server.folder);
  });

  afterAll(async () => {
    expect(await server?.stop()).toBe(0);
  });

  const now = (): Kubectl => {
    if (opened === undefined) throw new Error('the server of this file has not started');
    return opened;
  };
  const kubectl: Kubectl = Object.assign((...words: string[]) => now()(...words), {
    run: (...call: Parameters<Kubectl['run']>) => now().run(...call),
    start: (...call: Parameters<Kubectl['start']>) => now().start(...call),
  });
  return {
    kubectl,
    get folder() {
      return server?.folder ?? '';
    },
    async pipe(input, ...words) {
      const { code, stdout, stderr } = await kubectl.run([...words, '-f', '-'], { input });
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
      return stdout;
    },
    async jsonOf(...words) {
      return JSON.parse(await kubectl(...words, '-o', 'json')) as unknown;
    },
  };
}
