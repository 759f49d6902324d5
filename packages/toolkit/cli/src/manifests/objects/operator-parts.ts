import { versionLabel, type Operator } from '../operator/operator.ts';
import { chartSettings, type ChartSettings } from '../values/chart-settings.ts';
import { place, type Expression } from '../values/placed.ts';

/** The names, labels and settings that the objects of an operator share. */
export interface OperatorParts {
  readonly operator: Operator;
  readonly settings: ChartSettings;
  /** The namespace; the chart uses that of the release. */
  readonly namespace: Expression<string>;
  /** The labels of the operator's Pods that never change: selectors cannot be updated. */
  readonly selector: Record<string, string>;
  /** Returns the metadata of an object in the namespace of the operator. */
  metadata(suffix?: string, component?: string): NamespacedMetadata;
  /** Returns the metadata of a cluster-scoped object. */
  clusterMetadata(suffix?: string): LabelledMetadata;
}

/** Metadata with the recommended labels of Kubernetes. */
export interface LabelledMetadata {
  readonly name: string;
  readonly labels: Record<string, string>;
}

/** The metadata of an object in a namespace. */
export interface NamespacedMetadata extends LabelledMetadata {
  readonly namespace: string;
}

/** The labels have the names that https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/ gives. */
const prefix = 'app.kubernetes.io';

/** Derives the shared parts from an operator. */
export function partsOf(operator: Operator): OperatorParts {
  const namespace = { plain: operator.namespace, helm: '.Release.Namespace' };
  const labels = (component: string): Record<string, string> => ({
    [`${prefix}/name`]: operator.name,
    [`${prefix}/component`]: component,
    [`${prefix}/instance`]: place({ plain: operator.name, helm: '.Release.Name' }),
    [`${prefix}/version`]: versionLabel(operator.version),
    [`${prefix}/managed-by`]: place({ plain: 'kustomize', helm: '.Release.Service' }),
  });
  const clusterMetadata = (suffix = '', component = 'operator'): LabelledMetadata => ({
    name: `${operator.name}${suffix}`,
    labels: labels(component),
  });
  const selector = {
    [`${prefix}/name`]: operator.name,
    [`${prefix}/component`]: 'operator',
  };
  return {
    operator,
    settings: chartSettings(operator, selector),
    namespace,
    selector,
    metadata(...words) {
      const { name, labels: own } = clusterMetadata(...words);
      return { name, namespace: place(namespace), labels: own };
    },
    clusterMetadata,
  };
}
