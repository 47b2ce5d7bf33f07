#include "named_postures.hpp"

#include "model/samples.hpp"

namespace sparsedyn {

void name_postures(std::vector<StrategyResult>& orders, const Model& model) {
  for (StrategyResult& order : orders)
    if (order.help && !order.help->example.empty()) order.help->posture = posture_name(model, order.help->example.data());
}

}  // namespace sparsedyn
