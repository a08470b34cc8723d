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

/** The provider of a process in which none was registered. */
const noProvider = new ProxyTracerProvider().getDelegate();

/** Whether an OpenTelemetry SDK is registered, as it has to be before the process starts. */
export function isTracingOn(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noProvider;
}

const tracer = () => trace.getTracer('catalog-read-api');

/** Starts the span of a request as a child of the caller's (`traceparent`, or what the registered propagator reads). */
export function traceRequest(operation: string, method: string, headers: Headers) {
  const parent = propagation.extract(ROOT_CONTEXT, headers);
  const attributes = { 'http.request.method': method };
  const span = tracer().startSpan(`${method} ${operation}`, { kind: SpanKind.SERVER, attributes }, parent);
  const inside: Context = trace.setSpan(parent, span);
  const spanContext = span.spanContext();
  return {
    traceId: isSpanContextValid(spanContext) ? spanContext.traceId : undefined,
    run: (work: () => void) => context.with(inside, work),
    end(ended: string, status: number) {
      span.updateName(`${method} ${ended}`);
      span.setAttribute('http.response.status_code', status);
      // A 4xx is the client's error, not an error of this span (OpenTelemetry's conventions for servers).
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
 * Runs a call to another system inside its own span. The span records that a call failed but not its message: messages
 * of drivers quote values.
 * @param describe Called only when an SDK is registered.
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

/** Adds the context of the active span (`traceparent`) to the headers of a request to another service. */
export function withTraceContext(headers: Readonly<Record<string, string>>): Record<string, string> {
  const carried = { ...headers };
  if (isTracingOn()) propagation.inject(context.active(), carried);
  return carried;
}
