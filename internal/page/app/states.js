// States to explore: those in the file, or the server's. Both answer a Walk, which has the steps to a state, and the state.

function scenarioNumber(name) { return data.scenarios.findIndex(scenario => scenario.name === name); }

// startState finds a start among the states of the file.
function startState(scenario, start) {
  const trace = /^f(\d+)\.(\d+)$/.exec(start);
  if (trace) {
    const found = data.traces[Number(trace[1])];
    return found?.scenario === scenario ? found.stages[Number(trace[2])]?.state : undefined;
  }
  return data.scenarios[scenario].starts.find(other => other.name === start)?.state;
}

async function walk(scenario, start, path) {
  if (data.live) return ask("walk", {scenario, start, path: path.join(".")});
  let at = startState(scenario, start);
  if (at === undefined) throw new Error(`The state ${start} is not in this file. modelcheck serve shows every state.`);
  const steps = [];
  for (const [i, index] of path.entries()) {
    const choice = data.states[at].choices?.[index];
    if (!choice) throw new Error(`The way leads nowhere: step ${i + 1} is no choice of this file.`);
    steps.push(choice);
    at = choice.to;
  }
  return {steps, state: data.states[at]};
}

// decide returns the decision about a pending pod; null if the file does not have it.
async function decide(scenario, start, path, state, pod) {
  if (data.live) return ask("decision", {scenario, start, path: path.join("."), pod});
  const asking = state.asking?.find(other => other.pod === pod);
  return asking?.decision === undefined ? null : data.decisions[asking.decision];
}

async function ask(what, query) {
  let response;
  try {
    response = await fetch(`api/${what}?${new URLSearchParams(query)}`);
  } catch {
    throw new Error("modelcheck serve does not answer. Is it still running?");
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

