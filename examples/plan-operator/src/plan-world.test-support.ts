import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { install, until } from '@keelson/example-support';
import {
  builtin,
  createClient,
  createLogger,
  type Client,
  type Manager,
  type Persisted,
} from '@keelson/manager';
import { instanceDefinition } from './custom-resource-definition.ts';
import { Instance, type InstanceSpec } from './custom-resource.ts';
import { ImageRegistry } from './image-registry.ts';
import { createOperator } from './operator.ts';
import type { PlanPolicy } from './decision.ts';
import type { Plans, StepContext } from './plan.ts';
import { createPlans } from './plans.ts';

/** Receives each step before it runs. It may wait, throw, or change the cluster. */
export type StepHook = (step: string, context: StepContext) => Promise<void> | void;

/** A server with the kind, and operators on it. */
export class PlanWorld implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly registry = new ImageRegistry();
  hook: StepHook = () => undefined;
  plans: Plans = createPlans(this.registry);
  readonly #operators = new Map<Manager, Promise<void>>();

  private constructor(server: ApiServer) {
    this.server = server;
    this.client = createClient({ cluster: server.cluster });
  }

  static async open(): Promise<PlanWorld> {
    const world = new PlanWorld(await createApiServer());
    await install(world.client, [instanceDefinition]);
    return world;
  }

  /** Starts an operator. Its address may be that of a proxy. */
  async start(policy: PlanPolicy = 'queue', address: string = this.server.url): Promise<Manager> {
    const options = {
      cluster: { server: address },
      logger: createLogger({ level: 'silent' }),
      stopSignals: [],
      gracePeriod: 0,
    };
    const operator = createOperator(options, { plans: this.#hooked(), policy });
    // An operator that crashed rejects: it cannot end its work.
    const ended = operator.start().catch(() => undefined);
    this.#operators.set(operator, ended);
    await Promise.race([operator.started, ended]);
    return operator;
  }

  async stop(operator: Manager): Promise<void> {
    await operator.stop().catch(() => undefined);
    await this.#operators.get(operator);
    this.#operators.delete(operator);
  }

  create(name: string, spec: InstanceSpec): Promise<Persisted<Instance>> {
    return this.client.create(Instance, { metadata: { namespace: 'default', name }, spec });
  }

  change(name: string, spec: Partial<InstanceSpec>): Promise<Persisted<Instance>> {
    const body = { spec };
    return this.client.patch(Instance, { namespace: 'default', name }, { type: 'merge', body });
  }

  async reached(
    name: string,
    holds: (instance: Persisted<Instance>) => boolean,
  ): Promise<Persisted<Instance>> {
    const found = await until(this.client, Instance, { namespace: 'default', name }, (instance) => {
      return instance !== undefined && holds(instance);
    });
    if (found === undefined) throw new Error(`Instance ${name} does not exist`);
    return found;
  }

  /** Resolves when no plan is active and this generation is complete. */
  idle(name: string, generation: number): Promise<Persisted<Instance>> {
    return this.reached(name, ({ status }) => {
      return status?.activePlan === null && status.observedGeneration === generation;
    });
  }

  /** The data of the parts of an Instance, by their names without its name. */
  async parts(name: string): Promise<Record<string, unknown>> {
    const { items } = await this.client.list(builtin.ConfigMap, { namespace: 'default' });
    const own = items.filter(({ metadata }) => metadata.name.startsWith(`${name}-`));
    return Object.fromEntries(
      own.map(({ metadata, data }) => [metadata.name.slice(name.length + 1), data]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const operator of this.#operators.keys()) await this.stop(operator);
    await this.client.close();
    await this.server.close();
  }

  #hooked(): Plans {
    const plans = Object.entries(this.plans).map(([planName, plan]) => {
      const phases = plan.phases.map((phase) => ({
        ...phase,
        steps: phase.steps.map((step) => ({
          name: step.name,
          run: async (context: StepContext) => {
            await this.hook(`${planName}/${phase.name}/${step.name}`, context);
            return step.run(context);
          },
        })),
      }));
      return [planName, { ...plan, phases }];
    });
    return Object.fromEntries(plans) as Plans;
  }
}
