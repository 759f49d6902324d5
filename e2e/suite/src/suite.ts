import { afterAll, beforeAll, test } from '@jest/globals';
import { builtin, isNotFound, type KubernetesObject } from '@keelson/apimachinery';
import { createClient, type Client, type Cluster } from '@keelson/client';
import {
  createTestEnvironment,
  type ControlPlaneControls,
  type NewUser,
  type TestUser,
} from '@keelson/envtest';
import { until } from '@keelson/example-support';
import { chosenEnvironment } from './chosen-environment.ts';
import { isThere } from './is-there.ts';
import { tellProgress } from './progress.ts';

/** What the tests of one file share. What they make through it goes away after them. */
export interface Suite {
  /** The administrator's. */
  readonly client: Client;
  readonly cluster: Cluster;
  /** A kubeconfig of the administrator. */
  readonly kubeconfig: string;
  /** Throws where the control plane is not ours: such tests begin with `testWithControls`. */
  readonly controls: ControlPlaneControls;
  /** Adds a user; not on a cluster from a kubeconfig. */
  addUser(user: NewUser): Promise<TestUser>;
  /** Creates a namespace with a unique name, and returns the name. */
  namespace(): Promise<string>;
  /** Installs a definition and waits until it is served; one that was there before stays. */
  install(definition: KubernetesObject): Promise<void>;
  /** Has something done after the tests of the file, newest first. */
  defer(cleanUp: () => Promise<unknown>): void;
}

const { options, isOurs, tellsProgress } = chosenEnvironment();

/** Longer than a cluster takes to delete the largest of our namespaces. */
const leavingTimeout = 150_000;

/** A test, or one that is skipped and says why. */
export type NamedTest = Pick<typeof test, 'each'> &
  ((name: string, run: () => Promise<void>) => void);

/** For tests that cannot run here. */
export function skippedFor(reason: string): NamedTest {
  const title = (name: string): string => `${name} (skipped: ${reason})`;
  const each = ((table: readonly unknown[]) => (name: string, run: () => void) => {
    test.skip.each(table)(title(name), run);
  }) as unknown as typeof test.each;
  const skip = (name: string, run: () => Promise<void>): void => test.skip(title(name), run);
  return Object.assign(skip, { each });
}

/** A test that troubles the control plane. */
export const testWithControls: NamedTest = isOurs
  ? test
  : skippedFor('the control plane is not ours to trouble');

/** Opens the chosen environment for the tests of one file. */
export function openSuite(): Suite {
  const suite = new OpenedSuite();
  if (tellsProgress) tellProgress();
  beforeAll(() => suite.open());
  afterAll(() => suite.close(), leavingTimeout);
  return suite;
}

class OpenedSuite implements Suite {
  readonly #cleanUps: (() => Promise<unknown>)[] = [];
  /** Namespaces whose deletion has begun. */
  readonly #leaving: string[] = [];
  #environment: Awaited<ReturnType<typeof createTestEnvironment>> | undefined;
  #client: Client | undefined;

  async open(): Promise<void> {
    this.#environment = await createTestEnvironment(options);
    this.#client = createClient({ cluster: this.cluster });
  }

  async close(): Promise<void> {
    for (const cleanUp of this.#cleanUps.toReversed()) await cleanUp();
    await Promise.all(this.#leaving.map((name) => this.#untilGone(name)));
    await this.#client?.close();
    await this.#environment?.stop();
  }

  get client(): Client {
    return opened(this.#client);
  }

  get cluster(): Cluster {
    return opened(this.#environment).admin.cluster;
  }

  get kubeconfig(): string {
    return opened(this.#environment).admin.kubeconfig;
  }

  get controls(): ControlPlaneControls {
    return opened(this.#environment?.controls);
  }

  addUser(user: NewUser): Promise<TestUser> {
    return opened(this.#environment).addUser(user);
  }

  async namespace(): Promise<string> {
    const metadata = { generateName: 'keelson-e2e-' };
    const { metadata: made } = await this.client.create(builtin.Namespace, { metadata });
    const name = made?.name ?? '';
    this.defer(() => this.#remove(name));
    return name;
  }

  async install(definition: KubernetesObject): Promise<void> {
    const key = { name: definition.metadata?.name ?? '' };
    const wasThere = await isThere(this.client, builtin.CustomResourceDefinition, key);
    await opened(this.#environment).installCrds([definition]);
    // An existing cluster may have had it, with objects of other users.
    if (wasThere) return;
    this.defer(() => gone(this.client.delete(builtin.CustomResourceDefinition, key)));
  }

  defer(cleanUp: () => Promise<unknown>): void {
    this.#cleanUps.push(cleanUp);
  }

  async #remove(name: string): Promise<void> {
    await gone(this.client.delete(builtin.Namespace, { name }));
    this.#leaving.push(name);
  }

  /** On an own environment the stop removes everything; on an existing cluster, waits until it is deleted. */
  async #untilGone(name: string): Promise<void> {
    if (isOurs) return;
    const limits = { timeout: leavingTimeout };
    await until(this.client, builtin.Namespace, { name }, (found) => found === undefined, limits);
  }
}

function opened<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the environment of the suite does not have that');
  return part;
}

async function gone(deleted: Promise<unknown>): Promise<void> {
  try {
    await deleted;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
