/**
 * The protobuf fields of the built-in kinds and their members in JSON; `KindTable` reads it. This file is generated from
 * the struct tags of k8s.io/api (Apache-2.0, The Kubernetes Authors): change e2e/protobuf, then run
 * `npm run protobuf:table`.
 */
export const kindTableText: string = `1.36
v1 APIGroup 2:groupVersion.S version.S;clientCIDR.S serverAddress.S;name.S versions[M0 preferredVersion.M0 serverAddressByClientCIDRs[m1
v1 APIVersions 3:versions[S serverAddressByClientCIDRs[M1
v1 Binding 8:apiVersion.S@5 kind.S@1 name.S@3 uid.S controller*b@6 blockOwnerDeletion*b;manager.s operation.s apiVersion.s time*t fieldsType.s@6 fieldsV1*v subresource.s;name.s generateName.s namespace.s selfLink.s uid.s resourceVersion.s generation.i creationTimestamp.t deletionTimestamp*t deletionGracePeriodSeconds*i labels{s annotations{s ownerReferences[m4 finalizers[s managedFields[m5@17;kind.s namespace.s name.s uid.s apiVersion.s resourceVersion.s fieldPath.s;metadata.M6 target.M7
v1 ComponentStatus a:type.S status.S message.s error.s;metadata.M6 conditions[m9
v1 ConfigMap b:metadata.M6 immutable*b@4 data{s@2 binaryData{y
v1 CreateOptions c:dryRun[s fieldManager.s@3 fieldValidation.s
v1 DeleteOptions e:uid*s resourceVersion*s;gracePeriodSeconds*i preconditions*md orphanDependents*b propagationPolicy*s dryRun[s ignoreStoreReadErrorWithClusterBreakingPotential*b
v1 Endpoints i:ip.S hostname.s@3 nodeName*s targetRef*m7@2;name.s port.I protocol.s appProtocol*s;addresses[mf notReadyAddresses[mf ports[mg;metadata.M6 subsets[mh
v1 Event l:component.s host.s;count.i lastObservedTime.U;metadata.M6 involvedObject.M7 reason.s message.s source.Mj firstTimestamp.T lastTimestamp.T count.i type.s eventTime.U series*mk action.s related*m7 reportingComponent.S reportingInstance.S
v1 GetOptions m:resourceVersion.s
v1 LimitRange p:type.S max{q min{q default{q defaultRequest{q maxLimitRequestRatio{q;limits[Mn;metadata.M6 spec.Mo
v1 ListOptions q:labelSelector.s fieldSelector.s watch.b allowWatchBookmarks.b@9 resourceVersion.s@4 resourceVersionMatch.s@10 timeoutSeconds*i@5 limit.i@7 continue.s sendInitialEvents*b@11 shardSelector.s@15
v1 Namespace u:finalizers[s;type.S status.S lastTransitionTime.T@4 reason.s message.s;phase.s conditions[ms;metadata.M6 spec.Mr status.Mt
v1 Node 1c:key.S value.s effect.S timeAdded*t;namespace.S name.S uid.s resourceVersion.s kubeletConfigKey.S;configMap*mw@2;podCIDR.s podCIDRs[s@7 providerID.s@3 unschedulable.b taints[mv configSource*mx externalID.s@2;type.S status.S lastHeartbeatTime.T lastTransitionTime.T reason.s message.s;type.S address.S;Port.I;kubeletEndpoint.M11;capacity*i;machineID.S systemUUID.S bootID.S kernelVersion.S osImage.S containerRuntimeVersion.S kubeletVersion.S kubeProxyVersion.S operatingSystem.S architecture.S swap*m13;names[S sizeBytes.i;name.S devicePath.S;assigned*mx active*mx lastKnownGood*mx error.s;recursiveReadOnlyMounts*b userNamespaces*b;name.S features*m18;supplementalGroupsPolicy*b;capacity{q allocatable{q phase.s conditions[mz addresses[m10 daemonEndpoints.M12 nodeInfo.M14 images[m15 volumesInUse[s volumesAttached[m16 config*m17 runtimeHandlers[m19 features*m1a declaredFeatures[s;metadata.M6 spec.My status.M1b
v1 NodeProxyOptions 1d:path.s
v1 PatchOptions 1e:dryRun[s force*b fieldManager.s fieldValidation.s
v1 PersistentVolume 29:pdName.S fsType.s partition.i readOnly.b;volumeID.S fsType.s partition.i readOnly.b;path.S type*s;endpoints.S path.S readOnly.b endpointsNamespace*s;server.S path.S readOnly.b;name.s namespace.s;monitors[S image.S fsType.s pool.s user.s keyring.s secretRef*m1k readOnly.b;targetPortal.S iqn.S lun.I iscsiInterface.s fsType.s readOnly.b portals[s chapAuthDiscovery.b chapAuthSession.b@11 secretRef*m1k@10 initiatorName*s@12;volumeID.S fsType.s readOnly.b secretRef*m1k;monitors[S path.s user.s secretFile.s secretRef*m1k readOnly.b;targetWWNs[s lun*i fsType.s readOnly.b wwids[s;datasetName.s datasetUUID.s;driver.S fsType.s secretRef*m1k readOnly.b options{s;secretName.S shareName.S readOnly.b secretNamespace*S;volumePath.S fsType.s storagePolicyName.s storagePolicyID.s;registry.S volume.S readOnly.b user.s group.s tenant.s;diskName.S diskURI.S cachingMode*s fsType*s readOnly*b kind*s;pdID.S fsType.s;volumeID.S fsType.s readOnly.b;gateway.S system.S secretRef*M1k sslEnabled.b protectionDomain.s storagePool.s storageMode.s volumeName.s fsType.s readOnly.b;path.S fsType*s;volumeName.s volumeNamespace.s fsType.s readOnly.b secretRef*m7;driver.S volumeHandle.S readOnly.b fsType.s volumeAttributes{s controllerPublishSecretRef*m1k nodeStageSecretRef*m1k nodePublishSecretRef*m1k controllerExpandSecretRef*m1k nodeExpandSecretRef*m1k;gcePersistentDisk*m1f awsElasticBlockStore*m1g hostPath*m1h glusterfs*m1i nfs*m1j rbd*m1l iscsi*m1m cinder*m1n cephfs*m1o fc*m1p flocker*m1q flexVolume*m1r azureFile*m1s vsphereVolume*m1t quobyte*m1u azureDisk*m1v photonPersistentDisk*m1w portworxVolume*m1x scaleIO*m1y local*m1z storageos*m20 csi*m21;key.S operator.S values[s;matchExpressions[m23 matchFields[m23;nodeSelectorTerms[M24;required*m25;capacity{q -M22 accessModes[s claimRef*m7 persistentVolumeReclaimPolicy.s storageClassName.s mountOptions[s volumeMode*s nodeAffinity*m26 volumeAttributesClassName*s;phase.s message.s reason.s lastPhaseTransitionTime*t;metadata.M6 spec.M27 status.M28
v1 PersistentVolumeClaim 2i:matchLabels{s matchExpressions[m23;limits{q requests{q;apiGroup*S kind.S name.S;apiGroup*S kind.S name.S namespace*s;accessModes[s selector*m2a@4 resources.M2b@2 volumeName.s storageClassName*s@5 volumeMode*s dataSource*m2c dataSourceRef*m2d volumeAttributesClassName*s;type.S status.S lastProbeTime.T lastTransitionTime.T reason.s message.s;targetVolumeAttributesClassName.s status.S;phase.s accessModes[s capacity{q conditions[m2f allocatedResources{q allocatedResourceStatuses{s@7 currentVolumeAttributesClassName*s modifyVolumeStatus*m2g;metadata.M6 spec.M2e status.M2h
v1 Pod 5a:medium.s sizeLimit*q;repository.S revision.s directory.s;key.S path.S mode*i;secretName.s items[m2l defaultMode*i optional*b;name.s;targetPortal.S iqn.S lun.I iscsiInterface.s fsType.s readOnly.b portals[s chapAuthDiscovery.b chapAuthSession.b@11 secretRef*m2n@10 initiatorName*s@12;endpoints.S path.S readOnly.b;claimName.S readOnly.b;monitors[S image.S fsType.s pool.s user.s keyring.s secretRef*m2n readOnly.b;driver.S fsType.s secretRef*m2n readOnly.b options{s;volumeID.S fsType.s readOnly.b secretRef*m2n;monitors[S path.s user.s secretFile.s secretRef*m2n readOnly.b;apiVersion.s fieldPath.S;containerName.s resource.S divisor.Q;path.S fieldRef*m2v resourceFieldRef*m2w mode*i;items[m2x defaultMode*i;secretName.S shareName.S readOnly.b;-M2n items[m2l defaultMode*i optional*b;-M2n items[m2l optional*b@4;items[m2x;audience.s expirationSeconds*i path.S;name*s signerName*s labelSelector*m2a optional*b@5 path.S@4;signerName.s keyType.s maxExpirationSeconds*i credentialBundlePath.s keyPath.s certificateChainPath.s userAnnotations{s;secret*m31 downwardAPI*m32 configMap*m31 serviceAccountToken*m33 clusterTrustBundle*m34 podCertificate*m35;sources[M36 defaultMode*i;gateway.S system.S secretRef*M2n sslEnabled.b protectionDomain.s storagePool.s storageMode.s volumeName.s fsType.s readOnly.b;volumeName.s volumeNamespace.s fsType.s readOnly.b secretRef*m2n;driver.S readOnly*b fsType*s volumeAttributes{s nodePublishSecretRef*m2n;metadata.M6 spec.M2e;volumeClaimTemplate*m3b;reference.s pullPolicy.s;hostPath*m1h emptyDir*m2j gcePersistentDisk*m1f awsElasticBlockStore*m1g gitRepo*m2k secret*m2m nfs*m1j iscsi*m2o glusterfs*m2p persistentVolumeClaim*m2q rbd*m2r flexVolume*m2s cinder*m2t cephfs*m2u flocker*m1q downwardAPI*m2y fc*m1p azureFile*m2z configMap*m30 vsphereVolume*m1t quobyte*m1u azureDisk*m1v photonPersistentDisk*m1w projected*m37@26 portworxVolume*m1x@24 scaleIO*m38 storageos*m39@27 csi*m3a ephemeral*m3c image*m3d;name.S -M3e;name.s hostPort.i containerPort.I protocol.s hostIP.s;-M2n optional*b;prefix.s configMapRef*m3h secretRef*m3h;-M2n key.S optional*b;volumeName.S path.S key.S optional*b;fieldRef*m2v resourceFieldRef*m2w configMapKeyRef*m3j secretKeyRef*m3j fileKeyRef*m3k;name.S value.s valueFrom*m3l;name.S request.s;limits{q requests{q claims[m3n;resourceName.S restartPolicy.S;operator.s values[i;action.s exitCodes*m3q;name.S readOnly.b recursiveReadOnly*s@7 mountPath.S@3 subPath.s mountPropagation*s subPathExpr.s;command[s;name.S value.S;path.s port.N host.s scheme.s httpHeaders[m3u;port.N host.s;port.I service*S;exec*m3t httpGet*m3v tcpSocket*m3w grpc*m3x;-M3y initialDelaySeconds.i timeoutSeconds.i periodSeconds.i successThreshold.i failureThreshold.i terminationGracePeriodSeconds*i;seconds.I;exec*m3t httpGet*m3v tcpSocket*m3w sleep*m40;postStart*m41 preStop*m41 stopSignal*s;add[s drop[s;user.s role.s type.s level.s;gmsaCredentialSpecName*s gmsaCredentialSpec*s runAsUserName*s hostProcess*b;type.S localhostProfile*s;capabilities*m43 privileged*b seLinuxOptions*m44 windowsOptions*m45@10 runAsUser*i@4 runAsGroup*i@8 runAsNonRoot*b@5 readOnlyRootFilesystem*b allowPrivilegeEscalation*b procMount*s@9 seccompProfile*m46@11 appArmorProfile*m46;name.S image.s command[s args[s workingDir.s ports[m3g envFrom[m3i@19 env[m3m@7 resources.M3o resizePolicy[m3p@23 restartPolicy*s restartPolicyRules[m3r volumeMounts[m3s@9 volumeDevices[m16@21 livenessProbe*m3z@10 readinessProbe*m3z startupProbe*m3z@22 lifecycle*m42@12 terminationMessagePath.s terminationMessagePolicy.s@20 imagePullPolicy.s@14 securityContext*m47 stdin.b stdinOnce.b tty.b;-M48 targetContainerName.s;seLinuxOptions*m44 windowsOptions*m45@8 runAsUser*i@2 runAsGroup*i@6 runAsNonRoot*b@3 supplementalGroups[i supplementalGroupsPolicy*s@12 fsGroup*i@5 sysctls[m3u@7 fsGroupChangePolicy*s@9 seccompProfile*m46 appArmorProfile*m46 seLinuxChangePolicy*s@13;weight.I preference.M24;requiredDuringSchedulingIgnoredDuringExecution*m25 preferredDuringSchedulingIgnoredDuringExecution[m4b;labelSelector*m2a namespaces[s topologyKey.S namespaceSelector*m2a matchLabelKeys[s mismatchLabelKeys[s;weight.I podAffinityTerm.M4d;requiredDuringSchedulingIgnoredDuringExecution[m4d preferredDuringSchedulingIgnoredDuringExecution[m4e;nodeAffinity*m4c podAffinity*m4f podAntiAffinity*m4f;key.s operator.s value.s effect.s tolerationSeconds*i;ip.S hostnames[s;name.s value*s;nameservers[s searches[s options[m4j;conditionType.S;maxSkew.I topologyKey.S whenUnsatisfiable.S labelSelector*m2a minDomains*i nodeAffinityPolicy*s nodeTaintsPolicy*s matchLabelKeys[s;name.S;name.S resourceClaimName*s@3 resourceClaimTemplateName*s;podGroupName*s;volumes[m3f initContainers[m48@20 containers[M48@2 ephemeralContainers[m49@34 restartPolicy.s@3 terminationGracePeriodSeconds*i activeDeadlineSeconds*i dnsPolicy.s nodeSelector{s serviceAccountName.s serviceAccount.s automountServiceAccountToken*b@21 nodeName.s@10 hostNetwork.b hostPID.b hostIPC.b shareProcessNamespace*b@27 securityContext*m4a@14 imagePullSecrets[m2n hostname.s subdomain.s affinity*m4g schedulerName.s tolerations[m4h@22 hostAliases[m4i priorityClassName.s priority*i dnsConfig*m4k readinessGates[m4l@28 runtimeClassName*s enableServiceLinks*b preemptionPolicy*s overhead{q topologySpreadConstraints[m4m setHostnameAsFQDN*b@35 os*m4n hostUsers*b schedulingGates[m4n resourceClaims[m4o resources*m3o hostnameOverride*s schedulingGroup*m4p@43;type.S observedGeneration.i@7 status.S@2 lastProbeTime.T lastTransitionTime.T reason.s message.s;ip.S;reason.s message.s;startedAt.T;exitCode.I signal.i reason.s message.s startedAt.T finishedAt.T containerID.s;waiting*m4t running*m4u terminated*m4v;imageRef.s;image*m4x;name.S mountPath.S readOnly.b recursiveReadOnly*s volumeStatus*m4y;uid.I gid.I supplementalGroups[i;linux*m50;resourceID.S health.s message*s@6;name.S resources[m52;name.S state.M4w lastState.M4w ready.B restartCount.I image.S imageID.S containerID.s started*b allocatedResources{q resources*m3o volumeMounts[m4z user*m51 allocatedResourcesStatus[m53 stopSignal*s;name.S resourceClaimName*s;containerName.S resourceName.S requestName.S;requestMappings[M56 resourceClaimName.S;resourceClaimName.S containers[s resources{Q;observedGeneration.i@17 phase.s@1 conditions[m4r message.s reason.s nominatedNodeName.s@11 hostIP.s@5 hostIPs[m4s@16 podIP.s@6 podIPs[m4s@12 startTime*t@7 initContainerStatuses[m54@10 containerStatuses[m54@8 qosClass.s ephemeralContainerStatuses[m54@13 resize.s resourceClaimStatuses[m55 extendedResourceClaimStatus*m57@18 allocatedResources{q resources*m3o nodeAllocatableResourceClaimStatuses[m58;metadata.M6 spec.M4q status.M59
v1 PodAttachOptions 5b:stdin.b stdout.b stderr.b tty.b container.s
v1 PodExecOptions 5c:stdin.b stdout.b stderr.b tty.b container.s command[S
v1 PodLogOptions 5d:container.s follow.b previous.b sinceSeconds*i sinceTime*t timestamps.b tailLines*i limitBytes*i insecureSkipTLSVerifyBackend.b stream*s
v1 PodPortForwardOptions 5e:ports[i
v1 PodProxyOptions 1d:
v1 PodStatusResult 5f:metadata.M6 status.M59
v1 PodTemplate 5h:metadata.M6 spec.M4q;metadata.M6 template.M5g
v1 RangeAllocation 5i:metadata.M6 range.S data.Y
v1 ReplicationController 5m:replicas*i minReadySeconds.i@4 selector{s@2 template*m5g;type.S status.S lastTransitionTime.T reason.s message.s;replicas.I fullyLabeledReplicas.i readyReplicas.i@4 availableReplicas.i observedGeneration.i@3 conditions[m5k@6;metadata.M6 spec.M5j status.M5l
v1 ResourceQuota 5r:scopeName.S operator.S values[s;matchExpressions[m5n;hard{q scopes[s scopeSelector*m5o;hard{q used{q;metadata.M6 spec.M5p status.M5q
v1 Secret 5s:metadata.M6 immutable*b@5 data{y@2 stringData{s@4 type.s@3
v1 SerializedReference 5t:reference.M7
v1 Service 63:name.s protocol.s appProtocol*s@6 port.I@3 targetPort.N nodePort.i;timeoutSeconds*i;clientIP*m5v;ports[m5u selector{s clusterIP.s clusterIPs[s@18 type.s@4 externalIPs[s sessionAffinity.s@7 loadBalancerIP.s loadBalancerSourceRanges[s externalName.s externalTrafficPolicy.s healthCheckNodePort.i publishNotReadyAddresses.b sessionAffinityConfig*m5w ipFamilies[s@19 ipFamilyPolicy*s@17 allocateLoadBalancerNodePorts*b@20 loadBalancerClass*s internalTrafficPolicy*s trafficDistribution*s;port.I protocol.S error*s;ip.s hostname.s ipMode*s ports[m5y;ingress[m5z;type.S status.S observedGeneration.i lastTransitionTime.T reason.S message.S;loadBalancer.M60 conditions[m61;metadata.M6 spec.M5x status.M62
v1 ServiceAccount 64:metadata.M6 secrets[m7 imagePullSecrets[m2n automountServiceAccountToken*b
v1 ServiceProxyOptions 1d:
v1 Status 69:selector.S;selfLink.s resourceVersion.s continue.s remainingItemCount*i shardInfo*m65;reason.s message.s field.s;name.s group.s kind.s uid.s@6 causes[m67@4 retryAfterSeconds.i;metadata.M66 status.s message.s reason.s details*m68 code.i
v1 UpdateOptions 6a:dryRun[s fieldManager.s fieldValidation.s
v1 WatchEvent 6b:type.S object.R
apps/v1 ControllerRevision 6c:metadata.M6 data.R revision.I
apps/v1 DaemonSet 6h:maxUnavailable*n maxSurge*n;type.s rollingUpdate*m6d;selector*M2a template.M5g updateStrategy.M6e minReadySeconds.i revisionHistoryLimit*i@6;currentNumberScheduled.I numberMisscheduled.I desiredNumberScheduled.I numberReady.I observedGeneration.i updatedNumberScheduled.i numberAvailable.i numberUnavailable.i collisionCount*i conditions[m5k;metadata.M6 spec.M6f status.M6g
apps/v1 Deployment 6l:replicas*i selector*M2a template.M5g strategy.M6e minReadySeconds.i revisionHistoryLimit*i paused.b progressDeadlineSeconds*i@9;type.S status.S lastUpdateTime.T@6 lastTransitionTime.T reason.s@4 message.s;observedGeneration.i replicas.i updatedReplicas.i readyReplicas.i@7 availableReplicas.i@4 unavailableReplicas.i terminatingReplicas*i@9 conditions[m6j@6 collisionCount*i@8;metadata.M6 spec.M6i status.M6k
apps/v1 ReplicaSet 6o:replicas*i minReadySeconds.i@4 selector*M2a@2 template.M5g;replicas.I fullyLabeledReplicas.i readyReplicas.i@4 availableReplicas.i terminatingReplicas*i@7 observedGeneration.i@3 conditions[m5k@6;metadata.M6 spec.M6m status.M6n
apps/v1 StatefulSet 6v:partition*i maxUnavailable*n;type.s rollingUpdate*m6p;whenDeleted.s whenScaled.s;start.I;replicas*i selector*M2a template.M5g volumeClaimTemplates[k2i serviceName.S podManagementPolicy.s updateStrategy.M6q revisionHistoryLimit*i minReadySeconds.i persistentVolumeClaimRetentionPolicy*m6r ordinals*m6s;observedGeneration.i replicas.I readyReplicas.i currentReplicas.i updatedReplicas.i currentRevision.s updateRevision.s collisionCount*i@9 conditions[m5k availableReplicas.I;metadata.M6 spec.M6t status.M6u
batch/v1 CronJob 76:containerName*s operator.S values[I;type.S status.S;action.S onExitCodes*m6w onPodConditions[m6x;rules[M6y;succeededIndexes*s succeededCount*i;rules[M70;parallelism*i completions*i activeDeadlineSeconds*i podFailurePolicy*m6z@11 successPolicy*m71@16 backoffLimit*i@7 backoffLimitPerIndex*i@12 maxFailedIndexes*i selector*m2a@4 manualSelector*b template.M5g ttlSecondsAfterFinished*i@8 completionMode*s suspend*b podReplacementPolicy*s@14 managedBy*s;metadata.M6 spec.M72;schedule.S timeZone*s@8 startingDeadlineSeconds*i@2 concurrencyPolicy.s suspend*b jobTemplate.M73 successfulJobsHistoryLimit*i failedJobsHistoryLimit*i;active[m7 lastScheduleTime*t@4 lastSuccessfulTime*t;metadata.M6 spec.M74 status.M75
batch/v1 Job 79:succeeded[s failed[s;conditions[m2f startTime*t completionTime*t active.i succeeded.i failed.i terminating*i@11 completedIndexes.s@7 failedIndexes*s@10 uncountedTerminatedPods*m77@8 ready*i;metadata.M6 spec.M72 status.M78
admission.k8s.io/v1 AdmissionReview 7f:group.S version.S kind.S;group.S version.S resource.S;username.s uid.s groups[s extra{w;uid.S kind.M7a resource.M7b subResource.s requestKind*m7a@13 requestResource*m7b requestSubResource.s name.s@5 namespace.s operation.S userInfo.M7c object.R oldObject.R dryRun*b options.R;uid.S allowed.B status*m69 patch.y patchType*s auditAnnotations{s warnings[s;request*m7d response*m7e
admission.k8s.io/v1beta1 AdmissionReview 7f:
admissionregistration.k8s.io/v1 MutatingAdmissionPolicy 7p:apiVersion.s kind.s;apiGroups[s apiVersions[s resources[s scope*s;operations[s -M7h;resourceNames[s -M7i;namespaceSelector*m2a objectSelector*m2a resourceRules[m7j excludeResourceRules[m7j matchPolicy*s@7;name.S expression.S;expression.s;patchType.S@2 applyConfiguration*m7m jsonPatch*m7m;paramKind*m7g matchConstraints*m7k variables[m7l mutations[m7n failurePolicy*s matchConditions[m7l reinvocationPolicy.s;metadata.M6 spec.M7o
admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding 7s:name.s namespace.s selector*m2a parameterNotFoundAction*s;policyName.s paramRef*m7q matchResources*m7k;metadata.M6 spec.M7r
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration 7w:namespace.S name.S path*s port*i;url*s@3 service*m7t@1 caBundle.y;name.S clientConfig.M7u rules[m7i failurePolicy*s matchPolicy*s@9 namespaceSelector*m2a@5 objectSelector*m2a@11 sideEffects*S@6 timeoutSeconds*i admissionReviewVersions[S reinvocationPolicy*s@10 matchConditions[m7l@12;metadata.M6 webhooks[m7v
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy 83:expression.S message.s reason*s messageExpression.s;key.S valueExpression.S;paramKind*m7g matchConstraints*m7k validations[m7x failurePolicy*s auditAnnotations[m7y matchConditions[m7l variables[m7l;fieldRef.S@2 warning.S;expressionWarnings[m80;observedGeneration.i typeChecking*m81 conditions[m61;metadata.M6 spec.M7z status.M82
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding 85:policyName.s paramRef*m7q matchResources*m7k validationActions[s;metadata.M6 spec.M84
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration 87:name.S clientConfig.M7u rules[m7i failurePolicy*s matchPolicy*s@9 namespaceSelector*m2a@5 objectSelector*m2a@10 sideEffects*S@6 timeoutSeconds*i admissionReviewVersions[S matchConditions[m7l@11;metadata.M6 webhooks[m86
admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy 7p:
admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicyBinding 7s:
admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicy 83:
admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicyBinding 85:
admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy 7p:
admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicyBinding 7s:
admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration 89:name.S clientConfig.M7u rules[m7i failurePolicy*s matchPolicy*s@9 namespaceSelector*m2a@5 objectSelector*m2a@11 sideEffects*s@6 timeoutSeconds*i admissionReviewVersions[s reinvocationPolicy*s@10 matchConditions[m7l@12;metadata.M6 webhooks[m88
admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy 83:
admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicyBinding 85:
admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration 8b:name.S clientConfig.M7u rules[m7i failurePolicy*s matchPolicy*s@9 namespaceSelector*m2a@5 objectSelector*m2a@10 sideEffects*s@6 timeoutSeconds*i admissionReviewVersions[s matchConditions[m7l@11;metadata.M6 webhooks[m8a
apidiscovery.k8s.io/v2 APIGroupDiscovery 8f:subresource.S responseKind*m7a acceptedTypes[m7a verbs[S;resource.S responseKind*m7a scope.S singularResource.S verbs[S shortNames[s categories[s subresources[m8c;version.S resources[m8d freshness.s;metadata.M6 versions[m8e
apidiscovery.k8s.io/v2beta1 APIGroupDiscovery 8f:
apps/v1beta1 ControllerRevision 6c:
apps/v1beta1 Deployment 8i:revision.i;replicas*i selector*m2a template.M5g strategy.M6e minReadySeconds.i revisionHistoryLimit*i paused.b rollbackTo*m8g progressDeadlineSeconds*i;metadata.M6 spec.M8h status.M6k
apps/v1beta1 DeploymentRollback 8j:name.S updatedAnnotations{s rollbackTo.M8g
apps/v1beta1 Scale 8m:replicas.i;replicas.I selector{s targetSelector.s;metadata.M6 spec.M8k status.M8l
apps/v1beta1 StatefulSet 8p:replicas*i selector*m2a template.M5g volumeClaimTemplates[k2i serviceName.S podManagementPolicy.s updateStrategy.M6q revisionHistoryLimit*i minReadySeconds.i persistentVolumeClaimRetentionPolicy*m6r ordinals*m6s;observedGeneration*i replicas.I readyReplicas.i currentReplicas.i updatedReplicas.i currentRevision.s updateRevision.s collisionCount*i@9 conditions[m5k availableReplicas.I;metadata.M6 spec.M8n status.M8o
apps/v1beta2 ControllerRevision 6c:
apps/v1beta2 DaemonSet 6h:
apps/v1beta2 Deployment 6l:
apps/v1beta2 ReplicaSet 6o:
apps/v1beta2 Scale 8m:
apps/v1beta2 StatefulSet 6v:
authentication.k8s.io/v1 SelfSubjectReview 8r:userInfo.M7c;metadata.M6 status.M8q
authentication.k8s.io/v1 TokenRequest 8v:kind.s apiVersion.s name.s uid.s;audiences[S expirationSeconds*I@4 boundObjectRef*M8s@3;token.S expirationTimestamp.T;metadata.M6 spec.M8t status.M8u
authentication.k8s.io/v1 TokenReview 8y:token.s audiences[s;authenticated.b user.M7c audiences[s@4 error.s@3;metadata.M6 spec.M8w status.M8x
authentication.k8s.io/v1alpha1 SelfSubjectReview 8r:
authentication.k8s.io/v1beta1 SelfSubjectReview 8r:
authentication.k8s.io/v1beta1 TokenReview 8y:
authorization.k8s.io/v1 LocalSubjectAccessReview 94:rawSelector.s requirements[m23;namespace.s verb.s group.s version.s resource.s subresource.s name.s fieldSelector*m8z labelSelector*m8z;path.s verb.s;resourceAttributes*m90 nonResourceAttributes*m91 user.s groups[s extra{w uid.s;allowed.B denied.b@4 reason.s@2 evaluationError.s;metadata.M6 spec.M92 status.M93
authorization.k8s.io/v1 SelfSubjectAccessReview 96:resourceAttributes*m90 nonResourceAttributes*m91;metadata.M6 spec.M95 status.M93
authorization.k8s.io/v1 SelfSubjectRulesReview 9b:namespace.s;verbs[S apiGroups[s resources[s resourceNames[s;verbs[S nonResourceURLs[s;resourceRules[M98 nonResourceRules[M99 incomplete.B evaluationError.s;metadata.M6 spec.M97 status.M9a
authorization.k8s.io/v1 SubjectAccessReview 94:
authorization.k8s.io/v1beta1 LocalSubjectAccessReview 9d:resourceAttributes*m90 nonResourceAttributes*m91 user.s group[s extra{w uid.s;metadata.M6 spec.M9c status.M93
authorization.k8s.io/v1beta1 SelfSubjectAccessReview 96:
authorization.k8s.io/v1beta1 SelfSubjectRulesReview 9b:
authorization.k8s.io/v1beta1 SubjectAccessReview 9d:
autoscaling/v1 HorizontalPodAutoscaler 9h:kind.S name.S apiVersion.s;scaleTargetRef.M9e minReplicas*i maxReplicas.I targetCPUUtilizationPercentage*i;observedGeneration*i lastScaleTime*t currentReplicas.I desiredReplicas.I currentCPUUtilizationPercentage*i;metadata.M6 spec.M9f status.M9g
autoscaling/v1 Scale 9j:replicas.I selector.s;metadata.M6 spec.M8k status.M9i
autoscaling/v2 HorizontalPodAutoscaler a2:type.S value*q averageValue*q averageUtilization*i;name.S selector*m2a;describedObject.M9e target.M9k metric.M9l;metric.M9l target.M9k;name.S target.M9k;name.S target.M9k container.S;type.S object*m9m pods*m9n resource*m9o containerResource*m9p@7 external*m9n@5;type.S value.I periodSeconds.I;stabilizationWindowSeconds*i@3 selectPolicy*s@1 policies[m9r tolerance*q@4;scaleUp*m9s scaleDown*m9s;scaleTargetRef.M9e minReplicas*i maxReplicas.I metrics[m9q behavior*m9t;value*q averageValue*q averageUtilization*i;metric.M9l current.M9v describedObject.M9e;metric.M9l current.M9v;name.S current.M9v;name.S current.M9v container.S;type.S object*m9w pods*m9x resource*m9y containerResource*m9z@7 external*m9x@5;observedGeneration*i lastScaleTime*t currentReplicas.i desiredReplicas.I currentMetrics[Ma0 conditions[m5k;metadata.M6 spec.M9u status.Ma1
batch/v1beta1 CronJob 76:
certificates.k8s.io/v1 CertificateSigningRequest a6:request.Y signerName.S@7 expirationSeconds*i usages[s@5 username.s@2 uid.s groups[s extra{w@6;type.S status.S@6 reason.s@2 message.s lastUpdateTime.T lastTransitionTime.T;conditions[ma4 certificate.y;metadata.M6 spec.Ma3 status.Ma5
certificates.k8s.io/v1alpha1 ClusterTrustBundle a8:signerName.s trustBundle.S;metadata.M6 spec.Ma7
certificates.k8s.io/v1beta1 CertificateSigningRequest aa:request.Y signerName*s@7 expirationSeconds*i usages[s@5 username.s@2 uid.s groups[s extra{w@6;metadata.M6 spec.Ma9 status.Ma5
certificates.k8s.io/v1beta1 ClusterTrustBundle a8:
certificates.k8s.io/v1beta1 PodCertificateRequest ad:signerName.S podName.S podUID.S serviceAccountName.S serviceAccountUID.S nodeName.S nodeUID.S maxExpirationSeconds*i pkixPublicKey.Y proofOfPossession.Y stubPKCS10Request.Y@12 unverifiedUserAnnotations{s@11;conditions[m61 certificateChain.s notBefore*t@4 beginRefreshAt*t notAfter*t;metadata.M6 spec.Mab status.Mac
coordination.k8s.io/v1 Lease af:holderIdentity*s leaseDurationSeconds*i acquireTime*u renewTime*u leaseTransitions*i strategy*s preferredHolder*s;metadata.M6 spec.Mae
coordination.k8s.io/v1alpha2 LeaseCandidate ah:leaseName.S pingTime*u renewTime*u binaryVersion.S emulationVersion.s strategy.s;metadata.M6 spec.Mag
coordination.k8s.io/v1beta1 Lease af:
coordination.k8s.io/v1beta1 LeaseCandidate ah:
discovery.k8s.io/v1 EndpointSlice am:ready*b serving*b terminating*b;forZones[m4n forNodes[m4n;addresses[S conditions.Mai hostname*s targetRef*m7 deprecatedTopology{s nodeName*s zone*s hints*maj;name*s protocol*s port*i appProtocol*s;metadata.M6 addressType.S@4 endpoints[Mak@2 ports[Mal
discovery.k8s.io/v1beta1 EndpointSlice ao:addresses[S conditions.Mai hostname*s targetRef*m7 topology{s nodeName*s hints*maj;metadata.M6 addressType.S@4 endpoints[Man@2 ports[Mal
events.k8s.io/v1 Event aq:count.I lastObservedTime.U;metadata.M6 eventTime.U series*map reportingController.s reportingInstance.s action.s reason.s regarding.M7 related*m7 note.s type.s deprecatedSource.Mj deprecatedFirstTimestamp.T deprecatedLastTimestamp.T deprecatedCount.i
events.k8s.io/v1beta1 Event aq:
extensions/v1beta1 DaemonSet as:selector*m2a template.M5g updateStrategy.M6e minReadySeconds.i templateGeneration.i revisionHistoryLimit*i;metadata.M6 spec.Mar status.M6g
extensions/v1beta1 Deployment 8i:
extensions/v1beta1 DeploymentRollback 8j:
extensions/v1beta1 Ingress b3:serviceName.s servicePort.N resource*m2c;hosts[s secretName.s;path.s pathType*s@3 backend.Mat@2;paths[Mav;http*maw;host.s -Max;ingressClassName*s@4 backend*mat@1 tls[mau rules[may;ip.s hostname.s ports[m5y@4;ingress[mb0;loadBalancer.Mb1;metadata.M6 spec.Maz status.Mb2
extensions/v1beta1 NetworkPolicy ba:protocol*s port*n endPort*i;cidr.S except[s;podSelector*m2a namespaceSelector*m2a ipBlock*mb5;ports[mb4 from[mb6;ports[mb4 to[mb6;podSelector.M2a ingress[mb7 egress[mb8 policyTypes[s;metadata.M6 spec.Mb9
extensions/v1beta1 ReplicaSet bc:replicas*i minReadySeconds.i@4 selector*m2a@2 template.M5g;metadata.M6 spec.Mbb status.M6n
extensions/v1beta1 Scale 8m:
flowcontrol.apiserver.k8s.io/v1 FlowSchema bm:type.S;namespace.S name.S;kind.S user*m4n group*m4n serviceAccount*mbe;verbs[S apiGroups[S resources[S clusterScope.b namespaces[S;verbs[S nonResourceURLs[S@6;subjects[Mbf resourceRules[mbg nonResourceRules[mbh;priorityLevelConfiguration.M4n matchingPrecedence.I distinguisherMethod*mbd rules[mbi;type.s status.s lastTransitionTime.T reason.s message.s;conditions[mbk;metadata.M6 spec.Mbj status.Mbl
flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration bs:queues.I handSize.I queueLengthLimit.I;type.S queuing*mbn;nominalConcurrencyShares*I limitResponse.Mbo lendablePercent*i borrowingLimitPercent*i;nominalConcurrencyShares*i lendablePercent*i;type.S limited*mbp exempt*mbq;metadata.M6 spec.Mbr status.Mbl
flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema bm:
flowcontrol.apiserver.k8s.io/v1beta1 PriorityLevelConfiguration bv:assuredConcurrencyShares.I limitResponse.Mbo lendablePercent*i borrowingLimitPercent*i;type.S limited*mbt exempt*mbq;metadata.M6 spec.Mbu status.Mbl
flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema bm:
flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration bv:
flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema bm:
flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration by:nominalConcurrencyShares.I limitResponse.Mbo lendablePercent*i borrowingLimitPercent*i;type.S limited*mbw exempt*mbq;metadata.M6 spec.Mbx status.Mbl
imagepolicy.k8s.io/v1alpha1 ImageReview c2:image.s;containers[mbz annotations{s namespace.s;allowed.B reason.s auditAnnotations{s;metadata.M6 spec.Mc0 status.Mc1
internal.apiserver.k8s.io/v1alpha1 StorageVersion c7:;apiServerID.s encodingVersion.s decodableVersions[s servedVersions[s;type.S status.S observedGeneration.i lastTransitionTime.T reason.S message.s;storageVersions[mc4 commonEncodingVersion*s conditions[mc5;metadata.M6 spec.Mc3 status.Mc6
meta.k8s.io/v1 PartialObjectMetadata c8:metadata.M6
networking.k8s.io/v1 IPAddress cb:group.s resource.s namespace.s name.s;parentRef*mc9;metadata.M6 spec.Mca
networking.k8s.io/v1 Ingress ck:name.s number.i;name.S port.Mcc;service*mcd@4 resource*m2c@3;path.s pathType*S@3 backend.Mce@2;paths[Mcf;http*mcg;host.s -Mch;ingressClassName*s@4 defaultBackend*mce@1 tls[mau rules[mci;metadata.M6 spec.Mcj status.Mb2
networking.k8s.io/v1 IngressClass cn:apiGroup*s kind.S name.S scope*S namespace*s;controller.s parameters*mcl;metadata.M6 spec.Mcm
networking.k8s.io/v1 NetworkPolicy ba:
networking.k8s.io/v1 ServiceCIDR cq:cidrs[s;conditions[m61;metadata.M6 spec.Mco status.Mcp
networking.k8s.io/v1beta1 IPAddress cb:
networking.k8s.io/v1beta1 Ingress b3:
networking.k8s.io/v1beta1 IngressClass cn:
networking.k8s.io/v1beta1 ServiceCIDR cq:
node.k8s.io/v1 RuntimeClass ct:podFixed{q;nodeSelector{s tolerations[m4h;metadata.M6 handler.S overhead*mcr scheduling*mcs
node.k8s.io/v1alpha1 RuntimeClass cv:runtimeHandler.S overhead*mcr scheduling*mcs;metadata.M6 spec.Mcu
node.k8s.io/v1beta1 RuntimeClass ct:
policy/v1 Eviction cw:metadata.M6 deleteOptions*me
policy/v1 PodDisruptionBudget cz:minAvailable*n selector*m2a maxUnavailable*n unhealthyPodEvictionPolicy*s;observedGeneration.i disruptedPods{t disruptionsAllowed.I currentHealthy.I desiredHealthy.I expectedPods.I conditions[m61;metadata.M6 spec.Mcx status.Mcy
policy/v1beta1 Eviction cw:
policy/v1beta1 PodDisruptionBudget cz:
rbac.authorization.k8s.io/v1 ClusterRole d2:verbs[S apiGroups[s resources[s resourceNames[s nonResourceURLs[s;clusterRoleSelectors[m2a;metadata.M6 rules[Md0 aggregationRule*md1
rbac.authorization.k8s.io/v1 ClusterRoleBinding d5:kind.S apiGroup.s name.S namespace.s;apiGroup.S kind.S name.S;metadata.M6 subjects[md3 roleRef.Md4
rbac.authorization.k8s.io/v1 Role d6:metadata.M6 rules[Md0
rbac.authorization.k8s.io/v1 RoleBinding d5:
rbac.authorization.k8s.io/v1alpha1 ClusterRole d8:verbs[S apiGroups[s@3 resources[s resourceNames[s nonResourceURLs[s;metadata.M6 rules[Md7 aggregationRule*md1
rbac.authorization.k8s.io/v1alpha1 ClusterRoleBinding da:kind.S apiVersion.s name.S namespace.s;metadata.M6 subjects[md9 roleRef.Md4
rbac.authorization.k8s.io/v1alpha1 Role db:metadata.M6 rules[Md7
rbac.authorization.k8s.io/v1alpha1 RoleBinding da:
rbac.authorization.k8s.io/v1beta1 ClusterRole d2:
rbac.authorization.k8s.io/v1beta1 ClusterRoleBinding d5:
rbac.authorization.k8s.io/v1beta1 Role d6:
rbac.authorization.k8s.io/v1beta1 RoleBinding d5:
resource.k8s.io/v1 DeviceClass di:expression.S;cel*mdc;driver.S parameters.R;opaque*mde;-Mdf;selectors[mdd config[mdg extendedResourceName*s@4;metadata.M6 spec.Mdh
resource.k8s.io/v1 ResourceClaim dz:requests{q;deviceClassName.S selectors[mdd allocationMode.s count.i adminAccess*b tolerations[m4h capacity*mdj;name.S deviceClassName.S selectors[mdd allocationMode.s count.i tolerations[m4h capacity*mdj;name.S exactly*mdk firstAvailable[mdl;requests[s matchAttribute*s distinctAttribute*s;requests[s -Mdf;requests[Mdm constraints[mdn config[mdo;devices.Mdp;request.S driver.S pool.S device.S adminAccess*b tolerations[m4h bindingConditions[s bindingFailureConditions[s shareID*s consumedCapacity{q;source.S requests[s -Mdf;results[mdr config[mds;devices.Mdt nodeSelector*m25@3 allocationTimestamp*t@5;apiGroup.s resource.S@3 name.S uid.S;interfaceName.s ips[s hardwareAddress.s;driver.S pool.S device.S shareID*s@7 conditions[M61@4 data*r networkData*mdw;allocation*mdu reservedFor[mdv devices[mdx@4;metadata.M6 spec.Mdq status.Mdy
resource.k8s.io/v1 ResourceClaimTemplate e1:metadata.M6 spec.Mdq;metadata.M6 spec.Me0
resource.k8s.io/v1 ResourceSlice ed:name.S generation.I resourceSliceCount.I;int*i@2 bool*b string*s version*s ints[i bools[b strings[s versions[s;min*q max*q step*q;default*Q validValues[q@3 validRange*me4;value.Q requestPolicy*me5;value.Q;counterSet.S counters{me7;capacityKey*s allocationMultiplier*q;name.S attributes{me3 capacity{me6 consumesCounters[me8 nodeName*s nodeSelector*m25 allNodes*b taints[mv bindsToNode*b bindingConditions[s bindingFailureConditions[s allowMultipleAllocations*b nodeAllocatableResourceMappings{me9;name.S counters{me7;driver.S pool.Me2 nodeName*s nodeSelector*m25 allNodes*b devices[mea perDeviceNodeSelection*b sharedCounters[meb;metadata.M6 spec.Mec
resource.k8s.io/v1alpha3 DeviceTaintRule eg:driver*s@2 pool*s device*s;deviceSelector*mee taint.Mv;metadata.M6 spec.Mef status.Mcp
resource.k8s.io/v1alpha3 ResourcePoolStatusRequest ek:driver.S poolName*s limit*i;driver.s poolName.s generation.I@9 resourceSliceCount*i@8 totalDevices*i@4 allocatedDevices*i availableDevices*i unavailableDevices*i nodeName*s@3 validationError*s@10;poolCount*i@6 pools[mei@2 conditions[m61;metadata.M6 spec.Meh status*mej
resource.k8s.io/v1beta1 DeviceClass di:
resource.k8s.io/v1beta1 ResourceClaim ep:name.S deviceClassName.S selectors[mdd allocationMode.s count.i tolerations[m4h@7 capacity*mdj;name.S deviceClassName.S selectors[mdd allocationMode.s count.i adminAccess*b firstAvailable[mel tolerations[m4h capacity*mdj;requests[Mem constraints[mdn config[mdo;devices.Men;metadata.M6 spec.Meo status.Mdy
resource.k8s.io/v1beta1 ResourceClaimTemplate er:metadata.M6 spec.Meo;metadata.M6 spec.Meq
resource.k8s.io/v1beta1 ResourceSlice ev:attributes{me3 capacity{me6 consumesCounters[me8 nodeName*s nodeSelector*m25 allNodes*b taints[mv bindsToNode*b bindingConditions[s bindingFailureConditions[s allowMultipleAllocations*b nodeAllocatableResourceMappings{me9;name.S basic*mes;driver.S pool.Me2 nodeName.s nodeSelector*m25 allNodes.b devices[met perDeviceNodeSelection*b sharedCounters[meb;metadata.M6 spec.Meu
resource.k8s.io/v1beta2 DeviceClass di:
resource.k8s.io/v1beta2 DeviceTaintRule eg:
resource.k8s.io/v1beta2 ResourceClaim dz:
resource.k8s.io/v1beta2 ResourceClaimTemplate e1:
resource.k8s.io/v1beta2 ResourceSlice ed:
scheduling.k8s.io/v1 PriorityClass ew:metadata.M6 value.I globalDefault.b description.s preemptionPolicy*s
scheduling.k8s.io/v1alpha2 PodGroup f6:workloadName.S podGroupTemplateName.S;workload*Mex;minCount.I;basic*mc3 gang*mez;key.S;topology[mf1;name.S resourceClaimName*s resourceClaimTemplateName*s;podGroupTemplateRef*Mey schedulingPolicy.Mf0 schedulingConstraints*mf2 resourceClaims[mf3 disruptionMode*s priorityClassName.s priority*i;conditions[m61 resourceClaimStatuses[m55;metadata.M6 spec.Mf4 status.Mf5
scheduling.k8s.io/v1alpha2 Workload fa:apiGroup.s kind.S name.S;name.S schedulingPolicy.Mf0 schedulingConstraints*Mf2 resourceClaims[mf3 disruptionMode*s priorityClassName.s priority*i;controllerRef*mf7 podGroupTemplates[Mf8;metadata.M6 spec.Mf9
scheduling.k8s.io/v1beta1 PriorityClass ew:
storage.k8s.io/v1 CSIDriver fd:audience.S expirationSeconds*i;attachRequired*b podInfoOnMount*b volumeLifecycleModes[s storageCapacity*b fsGroupPolicy*s tokenRequests[mfb requiresRepublish*b seLinuxMount*b nodeAllocatableUpdatePeriodSeconds*i serviceAccountTokenInSecrets*b preventPodSchedulingIfMissing*b;metadata.M6 spec.Mfc
storage.k8s.io/v1 CSINode fh:count*i;name.S nodeID.S topologyKeys[S allocatable*mfe;drivers[Mff;metadata.M6 spec.Mfg
storage.k8s.io/v1 CSIStorageCapacity fi:metadata.M6 nodeTopology*m2a storageClassName.S capacity*q maximumVolumeSize*q
storage.k8s.io/v1 StorageClass fl:key.S values[S;matchLabelExpressions[mfj;metadata.M6 provisioner.S parameters{s reclaimPolicy*s mountOptions[s allowVolumeExpansion*b volumeBindingMode*s allowedTopologies[mfk
storage.k8s.io/v1 VolumeAttachment fq:persistentVolumeName*s inlineVolumeSpec*m27;attacher.S source.Mfm nodeName.S;time.T message.s errorCode*i;attached.B attachmentMetadata{s attachError*mfo detachError*mfo;metadata.M6 spec.Mfn status.Mfp
storage.k8s.io/v1 VolumeAttributesClass fr:metadata.M6 driverName.S parameters{s
storage.k8s.io/v1alpha1 CSIStorageCapacity fi:
storage.k8s.io/v1alpha1 VolumeAttachment fq:
storage.k8s.io/v1alpha1 VolumeAttributesClass fr:
storage.k8s.io/v1beta1 CSIDriver fd:
storage.k8s.io/v1beta1 CSINode fh:
storage.k8s.io/v1beta1 CSIStorageCapacity fi:
storage.k8s.io/v1beta1 StorageClass fl:
storage.k8s.io/v1beta1 VolumeAttachment fq:
storage.k8s.io/v1beta1 VolumeAttributesClass fr:
storagemigration.k8s.io/v1beta1 StorageVersionMigration fv:group.S resource.S;resource.Mfs;conditions[m61 resourceVersion.s;metadata.M6 spec.Mft status.Mfu
`;
