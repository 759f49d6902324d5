import type { JsonObject } from '@keelson/structural-schema';
import type { AdmissionRequest } from '../../admission/admission-plugin.ts';
import {
  type AdmissionAttributes,
  type AdmittedForm,
  type AdmittedRequest,
  type GroupVersionKind,
  optionsOf,
  wholeForm,
} from '../../admission/dynamic/admission-attributes.ts';
import type { User } from '../../auth/user.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import type { KindSchema } from '../../schema/kind-schema.ts';
import type { ApiObject } from '../../storage/api-object.ts';

/** A part of an object that clients write as an object of another kind, such as a Scale. */
export interface PartForm extends AdmittedForm {
  /** Returns the part of an object. */
  of(object: ApiObject): ApiObject;
  /** Sets the part of an object. */
  into(object: ApiObject, part: ApiObject): ApiObject;
}

/** A write whose object webhooks and policies replace. */
export interface OpenWrite extends AdmissionRequest {
  object: ApiObject;
}

/** A write as webhooks and policies see it. A changed object becomes the object of the write. */
export class WriteAttributes implements AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly kind: GroupVersionKind;
  readonly schema: KindSchema | undefined;
  readonly user: User;
  readonly dryRun: boolean;
  readonly options: JsonObject;
  readonly warnings: string[];
  readonly #write: OpenWrite;
  readonly #request: AdmittedRequest;
  readonly #part: PartForm | undefined;

  constructor(write: OpenWrite, request: AdmittedRequest, part?: PartForm) {
    const { kind, schema } = part ?? wholeForm(write.resource);
    this.operation = write.old === undefined ? 'CREATE' : 'UPDATE';
    this.resource = write.resource;
    this.subresource = write.scope;
    this.kind = kind;
    this.schema = schema;
    this.user = request.user;
    this.dryRun = request.dryRun;
    this.options = optionsOf(this.operation, request.options);
    this.warnings = write.warnings;
    this.#write = write;
    this.#request = request;
    this.#part = part;
  }

  /** A new object without a name in the request has none until the server generates it. */
  get name(): string {
    return this.#request.name || (this.#write.object.metadata.name ?? '');
  }

  get namespace(): string {
    const { namespace } = this.#request;
    return namespace === '' && this.resource.id === 'v1/namespaces' ? this.name : namespace;
  }

  get object(): ApiObject {
    const { object } = this.#write;
    return this.#part?.of(object) ?? object;
  }

  set object(changed: ApiObject) {
    this.#write.object = this.#part?.into(this.#write.object, changed) ?? changed;
  }

  get oldObject(): ApiObject | undefined {
    const { old } = this.#write;
    return old && (this.#part?.of(old) ?? old);
  }
}
