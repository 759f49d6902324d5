import type { Status } from '@keelson/apimachinery';
import type { ResourceRequest } from '../http/api-request.ts';
import { sendObject, sendValue } from '../presentation/object-response.ts';
import { warningHeaders } from '../http/warning-headers.ts';
import type { FeatureGates } from '../resources/feature-gates.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { type DeleteOptions, deleteOptions } from './delete-options.ts';
import { listPage } from './list-page.ts';
import { listQuery, versionOf } from './list-query.ts';
import { objectFilter } from '../resources/object-filter.ts';
import type { AdmittedDelete, ObjectRemover, Removal } from './object-remover.ts';
import { sendPage, listMediaType } from './page-response.ts';
import { admittedRequest } from './writes/write-options.ts';
import { ResourceForms } from './resource-forms.ts';

const childrenOfJobsWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** Handles delete and deletecollection. */
export class DeleteVerbs {
  readonly #remover: ObjectRemover;
  readonly #gates: FeatureGates;

  constructor(remover: ObjectRemover, gates: FeatureGates) {
    this.#remover = remover;
    this.#gates = gates;
  }

  async delete(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const options = await deleteOptions(request);
    warnOfChildren(request, resource, options);
    const key = resource.key(request.info);
    const removal = await this.#remover.removeFor(
      resource,
      key,
      options,
      admittedOf(request, options),
    );
    if (!removal.gone || resource.strategy.returnsDeleted) {
      await sendObject(request, resource, removal.object);
    } else {
      await sendValue(request, 200, deletedStatus(resource, removal));
    }
  }

  async deleteCollection(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const options = await deleteOptions(request);
    warnOfChildren(request, resource, options);
    const query = listQuery(request.query, 'list');
    const filter = objectFilter(resource, request.info, request.query, this.#gates);
    versionOf(request.query, 'list');
    const page = listPage(resource, filter, query);
    const objects = page.objects.flatMap(({ key }) => resource.store.get(key) ?? []);
    // The response contains the objects in their state before the delete.
    await resource.prepareAll(objects);
    const admitted = admittedOf(request, options);
    for (const { key } of objects) {
      if (resource.store.get(key) === undefined) continue;
      await this.#remover.removeFor(resource, key, options, admitted);
    }
    if (request.warnings.length > 0) {
      request.response.setHeader('Warning', warningHeaders(request.warnings));
    }
    const forms = new ResourceForms(resource);
    const mediaType = listMediaType(request, resource);
    await sendPage(request, resource, { ...page, objects }, { mediaType, forms });
  }
}

function admittedOf(request: ResourceRequest, { given = {} }: DeleteOptions): AdmittedDelete {
  return { admitted: admittedRequest(request, given), warnings: request.warnings };
}

/** kube-apiserver sends the warning even if the Job does not exist. */
function warnOfChildren(
  request: ResourceRequest,
  resource: ServedResource,
  { propagationPolicy }: DeleteOptions,
): void {
  if (resource.id !== 'batch/v1/jobs' || propagationPolicy !== undefined) return;
  request.warnings.push(childrenOfJobsWarning);
}

/** The response after the removal of an object. */
function deletedStatus(resource: ServedResource, { object }: Removal): Status {
  const { group, plural } = resource.facts;
  const { name = '', uid = '' } = object.metadata;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group !== '' && { group }), kind: plural, uid },
  };
}
