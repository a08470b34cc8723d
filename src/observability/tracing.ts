import type { Attributes, Context, Span } from '@opentelemetry/api';
import {
  context,
  isSpanContextValid,
  propagation,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The provider of a process in which nobody registered another one. */
const nobody = new ProxyTracerProvider().getDelegate();

/** Whether an OpenTelemetry SDK listens. Everything here costs this one look when none does. */
export function isTracingOn(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== nobody;
}

const tracer = () => trace.getTracer('catalog-read-api');

/** The span of a request, and the context in which everything it causes must run. */
export interface RequestTrace {
  /** undefined when the SDK gave it none. */
  readonly traceId: string | undefined;
  readonly run: (work: () => void) => void;
  readonly rename: (name: string) => void;
  readonly end: (status: number) => void;
}

/**
 * Begins the span of a request as a child of the caller's (`traceparent`, or whatever the registered propagator reads).
 * @returns undefined while nobody listens
 */
export function traceRequest(operation: string, method: string, headers: Headers): RequestTrace | undefined {
  if (!isTracingOn()) return undefined;
  const parent = propagation.extract(ROOT_CONTEXT, headers);
  const attributes = { 'http.request.method': method };
  const span = tracer().startSpan(`${method} ${operation}`, { kind: SpanKind.SERVER, attributes }, parent);
  const inside: Context = trace.setSpan(parent, span);
  const spanContext = span.spanContext();
  return {
    traceId: isSpanContextValid(spanContext) ? spanContext.traceId : undefined,
    run: (work) => context.with(inside, work),
    rename: (name) => void span.updateName(`${method} ${name}`),
    end(status) {
      span.setAttribute('http.response.status_code', status);
      // A 4xx is the client's doing, not an error of this span (OpenTelemetry's conventions for servers).
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

interface CallOptions {
  readonly name: string;
  readonly attributes: Attributes;
}

/**
 * Runs a call to another system inside a span of its own. Of a failure the span learns that it happened and no more: messages
 * of drivers quote values.
 * @param describe Called only while somebody listens.
 */
export function traceCall<Result>(describe: () => CallOptions, run: () => Promise<Result>): Promise<Result> {
  if (!isTracingOn()) return run();
  const { name, attributes } = describe();
  const span = tracer().startSpan(name, { kind: SpanKind.CLIENT, attributes });
  const result = context.with(trace.setSpan(context.active(), span), run);
  result.then(
    () => span.end(),
    () => endFailed(span),
  );
  return result;
}

function endFailed(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** The headers with the running span's context in them (`traceparent`), for a request to another service. */
export function withTraceContext(headers: Readonly<Record<string, string>>): Record<string, string> {
  const carried = { ...headers };
  if (isTracingOn()) propagation.inject(context.active(), carried);
  return carried;
}
