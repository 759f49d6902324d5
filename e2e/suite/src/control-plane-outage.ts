import type { ControlPlaneControls } from '@keelson/envtest';

/** A fault of the control plane. */
export interface ControlPlaneFault {
  readonly what: string;
  /** Starts the fault; missing for faults that `end` causes and ends. */
  begin?(controls: ControlPlaneControls): Promise<void>;
  /** Ends the fault; resolves when the control plane is ready again. */
  end(controls: ControlPlaneControls): Promise<void>;
}

/** Runs a fault from its start until the control plane is ready again. */
export class Outage {
  readonly #fault: ControlPlaneFault;
  readonly #controls: ControlPlaneControls;
  readonly #over = Promise.withResolvers<void>();

  constructor(fault: ControlPlaneFault, controls: ControlPlaneControls) {
    this.#fault = fault;
    this.#controls = controls;
  }

  /** Begins the outage. With a probe request, resolves when the probe has failed. */
  async begin(probe: () => Promise<unknown>): Promise<void> {
    if (this.#fault.begin === undefined) return;
    await this.#fault.begin(this.#controls);
    const responded = await probe().then(
      () => true,
      () => false,
    );
    if (!responded) return;
    // The tests after this one need the control plane.
    await this.end();
    throw new Error(`the server responded during ${this.#fault.what}`);
  }

  /** Ends the outage and continues the waiting requests. */
  async end(): Promise<void> {
    await this.#fault.end(this.#controls);
    this.#over.resolve();
  }

  /** Sends a request; if it fails during the outage, sends it again after the outage. */
  readonly outlast = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    try {
      return await ask();
    } catch {
      await this.#over.promise;
      return await ask();
    }
  };
}
