import type { KubernetesObject } from '@keelson/apimachinery';

/** The objects of one concern: a file of the Kustomize base, and a file of the chart. */
export interface ObjectGroup {
  /** The name of the file without its ending. */
  readonly name: string;
  readonly objects: readonly KubernetesObject[];
  /**
   * Where the file is; without it in the base of Kustomize and in the templates of the chart. `namespaces` is the component of Kustomize
   * that binds roles in namespaces, for which the chart has groups of its own.
   */
  readonly location?:
    | 'kustomize'
    | 'chart'
    | 'definitions'
    | 'production'
    | 'component'
    | 'namespaces';
  /** Whether the chart fills places in definitions. Default: false, Helm installs them as they are. */
  readonly isTemplate?: boolean;
  /** The condition under which the chart has the objects. Default: always. */
  readonly condition?: string;
  /** The list of which each item, `.`, has the objects in the chart. Default: they exist once. */
  readonly each?: string;
}
