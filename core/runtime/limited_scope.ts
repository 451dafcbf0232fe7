/**
 * The functions of a route scope of a plugin that does not ship, each with a time limit and named where it does not end. Those that
 * answer at once have none: the headers and the body of an error.
 */
import { type Part, type PartGuard, PartLate } from "../events/part_guard.ts";
import type { RouteScope } from "../http/route_scope.ts";
import { withinCountdown } from "../std/countdown.ts";

type Intercept = NonNullable<RouteScope["intercept"]>;

/** A route scope whose functions have limits. `partOf` names a part of the plugin. */
export function limitedScope(
  guard: PartGuard,
  partOf: (place: string) => Part,
  prefix: string,
  spec: RouteScope,
): RouteScope {
  const { addressLimit, intercept, limiter, notModified } = spec;
  const part = (member: string) => partOf(`${member} of ${prefix}`);
  return {
    ...spec,
    ...(intercept && { intercept: limitedIntercept(guard, part("intercept"), intercept) }),
    ...(notModified && { notModified: guard.guarded(part("notModified"), notModified) }),
    ...(limiter && { limiter: { take: guard.guarded(part("limiter"), (...args) => limiter.take(...args)) } }),
    ...(addressLimit && {
      addressLimit: {
        take: guard.guarded(part("addressLimit"), (address) => addressLimit.take(address)),
        headers: (allowance) => addressLimit.headers(allowance),
        exceeded: (allowance) => addressLimit.exceeded(allowance),
      },
    }),
  };
}

/** An interception whose time counts before it calls `next`, and after that has answered. */
function limitedIntercept(guard: PartGuard, part: Part, intercept: Intercept): Intercept {
  return async (request, address, next) => {
    const refused = guard.refusalOf(part);
    if (refused) throw refused;
    const began = Date.now();
    const answered = Promise.withResolvers<void>();
    const hasCalled = Promise.withResolvers<void>();
    const noted = () => {
      hasCalled.resolve();
      const answer = next();
      const noteAnswer = () => answered.resolve();
      answer.then(noteAnswer, noteAnswer);
      return answer;
    };
    const late = () => new PartLate(part);
    const result = Promise.resolve(intercept(request, address, noted));
    const noteEnd = () => {
      hasCalled.resolve();
      answered.resolve();
    };
    // Its failure is that of the last wait.
    result.then(noteEnd, noteEnd);
    try {
      await withinCountdown(hasCalled.promise, part.limitMs, late);
      await answered.promise;
      const response = await withinCountdown(result, part.limitMs, late);
      guard.faults.answered(part);
      return response;
    } catch (error) {
      if (error instanceof PartLate && error.part === part)
        throw guard.late(part, `It did not end within ${part.limitMs} ms`, began);
      guard.faults.answered(part);
      throw error;
    }
  };
}
