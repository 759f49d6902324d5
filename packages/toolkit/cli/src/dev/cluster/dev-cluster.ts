import type { KubernetesObject } from '@keelson/apimachinery';
import type { AdmissionObjects } from '../admission/admission-objects.ts';
import type { Project } from '../../project/project.ts';

/** The API server of a development session. */
export interface DevCluster extends AsyncDisposable {
  /** The value of `KUBECONFIG` for the program. */
  readonly kubeconfig: string;
  /** The lines to print at the start. */
  readonly description: readonly string[];
  /** The file with credentials that a killed session leaves; undefined without one. */
  readonly credentialsFile: string | undefined;
  /** True if `prepare` needs the definitions of the project. */
  readonly installsDefinitions: boolean;
  /** Makes the server ready for a start of the program. No program of this session runs meanwhile. */
  prepare(content: PreparedContent, signal: AbortSignal): Promise<void>;
  /**
   * Lets the server call the webhooks of the program, which serves them on this port of the machine. Settles when it does, or
   * when the signal aborts; resolves with the number of webhooks and conversions. A real cluster cannot reach this machine: 0.
   */
  callWebhooks(port: number, signal: AbortSignal): Promise<number>;
}

/** The objects that the program needs on the server. */
export interface PreparedContent {
  readonly project: Pick<Project, 'namespace'>;
  readonly definitions: readonly KubernetesObject[];
  readonly admission: AdmissionObjects;
}
