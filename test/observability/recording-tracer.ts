import type {
  Attributes,
  Context,
  ContextManager,
  Span,
  SpanContext,
  SpanOptions,
  SpanStatus,
  TextMapPropagator,
  Tracer,
} from '@opentelemetry/api';
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** A span that ended, as a backend receives it. */
export interface RecordedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly kind: number | undefined;
  readonly name: string;
  readonly attributes: Attributes;
  readonly status: SpanStatus | undefined;
}

const id = (bytes: number): string => randomBytes(bytes).toString('hex');

/** The spans of statements that read a table. */
export const statementsOn = (spans: readonly RecordedSpan[], table: string): RecordedSpan[] =>
  spans.filter(({ attributes }) => new RegExp(`FROM ${table}\\b`).test(String(attributes['db.query.text'])));

/**
 * What an SDK registers: a provider, a context manager and the propagator of W3C trace context, each as small as
 * possible.
 */
export function registerRecordingTracer(): { spans: RecordedSpan[] } {
  const spans: RecordedSpan[] = [];

  const startSpan = (name: string, { kind, attributes = {} }: SpanOptions = {}, given?: Context): Span => {
    const parent = trace.getSpanContext(given ?? context.active());
    const spanContext: SpanContext = { traceId: parent?.traceId ?? id(16), spanId: id(8), traceFlags: 1 };
    const recorded = { name, attributes: { ...attributes }, status: undefined as SpanStatus | undefined };
    const span: Span = {
      spanContext: () => spanContext,
      isRecording: () => true,
      setAttribute(key, value) {
        recorded.attributes[key] = value;
        return span;
      },
      setAttributes: () => span,
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      recordException: () => undefined,
      setStatus(status) {
        recorded.status = status;
        return span;
      },
      updateName(newName) {
        recorded.name = newName;
        return span;
      },
      end: () => void spans.push({ ...spanContext, parentId: parent?.spanId, kind, ...recorded }),
    };
    return span;
  };
  const startActiveSpan = () => {
    throw new Error('not needed here');
  };
  trace.setGlobalTracerProvider({ getTracer: (): Tracer => ({ startSpan, startActiveSpan }) });

  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (given, work, self, ...values) => storage.run(given, () => work.apply(self, values)),
    bind: (_context, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);

  const propagator: TextMapPropagator = {
    fields: () => ['traceparent'],
    inject(given, carrier, setter) {
      const current = trace.getSpanContext(given);
      if (current !== undefined) setter.set(carrier, 'traceparent', `00-${current.traceId}-${current.spanId}-01`);
    },
    extract(given, carrier, getter) {
      const [, traceId, spanId] = String(getter.get(carrier, 'traceparent')).split('-');
      if (traceId === undefined || spanId === undefined) return given;
      return trace.setSpanContext(given, { traceId, spanId, traceFlags: 1, isRemote: true });
    },
  };
  propagation.setGlobalPropagator(propagator);
  return { spans };
}

export function unregisterTracer(): void {
  trace.disable();
  context.disable();
  propagation.disable();
}
